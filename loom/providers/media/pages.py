"""Pages of a PDF, counted without a parser, in bounded time and memory.

Theory of operation
-------------------
The catalog names the root of the page tree, and the root says how many pages there are (ISO
32000-2, 7.7.2 and 7.7.3.2). Both are found without the cross-reference table, which may be damaged
or compressed: the file is split at `endobj`, and an object is what its last `n g obj` says, so what
an incremental update wrote later counts. Objects may stand in object streams (7.5.7); those are
inflated, a bounded part of each and of all together.

In this order: the count of the root the catalog names; the count of a tree node without a parent;
the number of page objects, if everything was looked at. A linearized file that nothing was appended
to tells its pages at the very start. Strings and streams of an encrypted file are encrypted, its
objects are not; with encrypted object streams the count is unknown.

For a window that has no room for all of them a PDF of some pages is made, where pypdf is installed.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from msgspec import Struct

from loom.lazy import lazy_re

LOOKED = 2 << 20  # bytes looked at on either end of a file
INFLATED = 4 << 20  # bytes made of all object streams together
MOST = 1_000_000  # pages; a higher count is none
OBJECTS = 50_000  # of a file, looked at

_LINEARIZED = lazy_re(rb"/Linearized\b")
_LENGTH = lazy_re(rb"/L\s{0,8}(\d{1,12})\b")
_NUMBER = lazy_re(rb"/N\s{0,8}(\d{1,9})\b")
_FIRST = lazy_re(rb"/First\s{0,8}(\d{1,9})\b")
_OPENED = lazy_re(rb"(?<!\d)(\d{1,10})\s{1,8}\d{1,5}\s{1,8}obj\b")
_FIGURE = lazy_re(rb"\d{1,10}")
_KIND = lazy_re(rb"/Type\s{0,8}/(Pages|Page|Catalog|ObjStm)\b")
_PAGES = lazy_re(rb"/Pages\s{0,8}(\d{1,10})\s{1,8}\d{1,5}\s{1,8}R\b")
# Not the first figure of a reference.
_COUNT = lazy_re(rb"/Count\s{0,8}(\d{1,9})(?![\d.])(?!\s{1,8}\d{1,5}\s{1,8}R\b)")
_PARENT = lazy_re(rb"/Parent\b")
_STREAM = lazy_re(rb"\bstream\r?\n")


class _Looked(Struct):
    """The objects found so far, (kind, text) by number; `whole` while nothing was passed over."""

    nodes: dict[int, tuple[bytes, bytes]]
    left: int = INFLATED
    whole: bool = True


def pages(data: bytes) -> int:
    """Return how many pages a PDF has; 0 when that cannot be told. Never raises."""
    first = _linearized(data)
    if first:
        return first
    looked = _Looked({}, whole=len(data) <= 2 * LOOKED)
    ends = data if looked.whole else b"\nendobj\n".join((data[:LOOKED], data[-LOOKED:]))
    pieces = ends.split(b"endobj", OBJECTS)
    looked.whole &= len(pieces) <= OBJECTS
    for piece in pieces[:OBJECTS]:
        _object(piece, looked)
    return _told(looked)


def _told(looked: _Looked) -> int:
    nodes = [*looked.nodes.values()][::-1]
    named = (_PAGES.search(text) for kind, text in nodes if kind == b"Catalog")
    roots = [looked.nodes.get(int(root[1])) for root in named if root]
    roots += [node for node in nodes if not _PARENT.search(node[1])]
    for kind, text in filter(None, roots):
        count = _COUNT.search(text)
        if kind == b"Pages" and count and _sane(int(count[1])):
            return int(count[1])
    found = sum(kind == b"Page" for kind, _ in nodes)
    return found if looked.whole and _sane(found) else 0


def _sane(count: int) -> bool:
    return 0 < count <= MOST


def _linearized(data: bytes) -> int:
    head = data[:2048].partition(b"endobj")[0]
    length = _LENGTH.search(head)
    number = _NUMBER.search(head)
    if not (_LINEARIZED.search(head) and length and number) or int(length[1]) != len(data):
        return 0
    return int(number[1]) if _sane(int(number[1])) else 0


def _object(piece: bytes, looked: _Looked) -> None:
    """Take the last object that begins in a piece of a file."""
    if b"/Type" not in piece:
        return
    stream = _STREAM.search(piece)
    text = piece[: stream.start()] if stream else piece
    opened = deque(_OPENED.finditer(text), maxlen=1)
    text = text[opened[0].end() :] if opened else b""
    kind = _KIND.search(text)
    if kind is None:
        return
    found: Iterable[tuple[int, bytes]] = [(int(opened[0][1]), text)]
    if kind[1] == b"ObjStm":
        found = _inside(text, piece[stream.end() :], looked) if stream else ()
    for number, one in found:
        named = _KIND.search(one)
        if named and named[1] != b"ObjStm":
            looked.nodes.pop(number, None)  # what is written later comes later
            looked.nodes[number] = named[1], one


def _inside(text: bytes, stream: bytes, looked: _Looked) -> Iterator[tuple[int, bytes]]:
    """(number, object) of an object stream, as far as it may be inflated."""
    first = _FIRST.search(text)
    plain = _inflated(text, stream, looked)
    if first is None or not plain:
        looked.whole = False
        return
    start = int(first[1])
    figures = [int(figure[0]) for figure in _FIGURE.finditer(plain, 0, start)]
    ends = [*figures[3::2], len(plain)]
    for number, offset, end in zip(figures[::2], figures[1::2], ends, strict=False):
        if end < offset:  # offsets rise; otherwise one part could be read over and over
            looked.whole = False
            return
        yield number, plain[start + offset : start + end]


def _inflated(text: bytes, stream: bytes, looked: _Looked) -> bytes:
    """The bytes of an object stream; none when its filter is another, or nothing may be made."""
    if b"/FlateDecode" not in text:
        return b"" if b"/Filter" in text else stream
    if not looked.left:
        return b""
    inflate = zlib.decompressobj()
    try:
        plain = inflate.decompress(stream, looked.left)
    except zlib.error:
        return b""
    looked.left -= len(plain)
    looked.whole &= inflate.eof
    return plain


LARGEST = 4 << 20  # bytes of a document that is looked into, of pages of it that many
PAGES = 100


def page_texts(data: bytes) -> tuple[str, ...] | None:
    """The text of each page, in order; None where they cannot be read, as of a document that is
    damaged, encrypted or too large to look into, or where pypdf is not installed."""
    if len(data) > LARGEST:
        return None
    try:
        from pypdf import PdfReader

        pages = PdfReader(BytesIO(data)).pages
        return tuple(page.extract_text() for page in pages) if len(pages) <= PAGES else None
    except Exception:  # of what is damaged, it raises what it likes
        return None


_CATALOG = lazy_re(rb"(\d{1,10}\s{1,8}\d{1,5})\s{1,8}obj\b[^>]{0,500}?/Type\s{0,8}/Catalog\b")


def divided(data: bytes, first: int, last: int) -> bytes | None:
    """A PDF of the pages `first` to `last` of one, counted from 1; None where it cannot be made.

    Raises ImportError where pypdf is not installed.
    """
    from pypdf import PdfReader, PdfWriter

    def read(data: bytes) -> Any:
        reader = PdfReader(BytesIO(data))
        return reader if len(reader.pages) >= last else None

    for attempt in (data, _with_trailer(data)):
        made = BytesIO()
        try:
            writer = PdfWriter()
            writer.append(read(attempt), pages=(first - 1, last), import_outline=False)
            writer.write(made)
        except Exception:  # of what is damaged, it raises what it likes
            continue
        return made.getvalue()
    return None


def _with_trailer(data: bytes) -> bytes:
    """The same without trust in its table of references, which may be missing: all its objects are
    then looked for from its catalog on."""
    found = _CATALOG.search(data)
    root = found[1] if found else b"1 0"
    return data + b"\ntrailer<</Root %s R>>\nstartxref\n0\n%%%%EOF\n" % root
