"""A PDF without a parser: its text, as far as a search for secrets needs it, and its number of
pages.

Theory of operation -------------------

Bytes outside of streams are text: objects with their strings, some with escapes, in hex or in
UTF-16. A stream is inflated (ISO 32000-2, 7.4: Flate, and the two ASCII filters around it) unless
its dictionary says that it is an image, a font or a table of references; other filters are of
images alone. An inflated stream may be objects (7.5.7), a page's content (strings that are shown),
a map from a font's codes to characters (9.10.3), or a text such as XML; any other stream is passed
over. A page shows its words in pieces, with numbers between them that move the next piece: small
numbers are kerning. Codes of a font are read as letters, and by every map in the file: the font of
a string is not looked up, as a wrong map makes no secret. An encrypted file holds no readable text.

The root of the page tree, the node without a parent, says how many pages there are (7.7.3.2). It is
found without the table of references, which may be damaged or compressed: the root that is written
last counts, as an update appends what it changes."""

from __future__ import annotations

import re
import sys
import zlib
from base64 import a85decode
from binascii import Error
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise, takewhile

from msgspec import Struct, field

from loom.lazy import lazy_re
from loom.redact.text_in_bytes import RUN, WIDTHS, letter_runs

INFLATED = 16 << 20  # bytes made of all streams together
SLOW = 1 << 20  # bytes of a stream in letters that are decoded
STREAMS = 20_000
MAPS = 32  # of fonts
MOST = 0xFFFF  # characters of one range of a map
HEAD = 2_048  # bytes of a dictionary that are looked at
SHORT = 8  # letters that are a text outside of streams
SAMPLE = 4_096
MOST_PAGES = 1_000_000  # a higher count is none

CONTROL = lazy_re(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_STREAM = lazy_re(rb"\bstream\r?\n")
_LENGTH = lazy_re(rb"/Length\s{1,8}(\d{1,10})(?!\s{1,8}\d{1,5}\s{1,8}R)")
_NO_TEXT = lazy_re(rb"/Subtype\s{0,8}/(?:Image|Type1C|CIDFontType0C|OpenType)|/Length1\b|/XRef\b")
_OTHER = lazy_re(rb"/(?:DCT|JPX|CCITTFax|JBIG2|LZW|RunLength|Crypt)\w*")
_INLINE = lazy_re(rb"\bID\s.*?(?:\sEI\b|\Z)", re.DOTALL)  # an image among a page's words
_SHOWS = lazy_re(rb"[)\]>]\s{0,8}(?:T[jJ]|['\"])")
_KERNED = lazy_re(rb"([)>])\s{0,4}-?\d{0,2}(?:\.\d{0,8})?\s{0,4}([(<])")
_STRING = lazy_re(rb"(?<!\\)\((?:[^()\\]|\\.)*+\)|<[0-9A-Fa-f\s]*+>", re.DOTALL)
_ESCAPE = lazy_re(rb"\\(\r\n|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {
    b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r\n": b"",
}  # fmt: skip
_HEX = lazy_re(rb"<([0-9A-Fa-f\s]*)>|([\[\]])")
_NEXT = 0xFFFF  # stands between strings of codes
_PARENT = lazy_re(rb"/Parent\b")
_NODE = lazy_re(rb"/Type\s{0,8}/(Pages|Page)\b")
# Not the first figure of a reference.
_COUNT = lazy_re(rb"/Count\s{0,8}(\d{1,9})(?![\d.])(?!\s{1,8}\d{1,5}\s{1,8}R\b)")
_FIRST = lazy_re(rb"/First\s{0,8}(\d{1,9})\b")
_FIGURE = lazy_re(rb"\d{1,10}")


def letter_run_texts(data: bytes, least: int = RUN) -> Iterator[str]:
    """Yield the runs of at least `least` letters in bytes, joined by line ends: one text for ASCII,
    one for UTF-16. An encoding without runs has no text."""
    for width in WIDTHS:
        found = [data[start:end] for start, end in letter_runs(data, least, width)]
        if found:
            yield b"\n".join(found).replace(b"\0", b"").decode("ascii")


class _FoundTexts(Struct):
    """What was found in the streams of a PDF so far: `texts` as (where, text), the `strings` shown
    on pages, and font `maps` as (bytes of a code, {code: characters}). `left` is how many more
    bytes may be inflated."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    strings: list[bytes] = field(default_factory=list)
    maps: list[tuple[int, dict[int, str]]] = field(default_factory=list)
    left: int = INFLATED


def pdf_texts(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield (where, text) for each text in a PDF, in bounded time and memory. Never raises."""
    found, outside = _FoundTexts(), []
    for before, stream in _texts_and_streams(data):
        outside.append(before)
        if stream is not None:
            _collect_stream(_stream_dictionary(before), stream, found)
    objects = b"\n".join(outside)
    if b"/Encrypt" in objects:
        return
    yield from _object_texts(objects)
    yield from found.texts
    yield "page text", b"\n".join(found.strings).decode("latin-1")
    for width, codes in found.maps[:MAPS]:
        yield "page text", _text_by_map(found.strings, width, codes)


def page_count(data: bytes) -> int:
    """Return the number of pages in a PDF; 0 if it cannot be told. Never raises."""
    objects, left, whole = list[bytes](), INFLATED, True
    for before, stream in _texts_and_streams(data):
        objects += before.split(b"endobj")
        head = _stream_dictionary(before)
        if stream is not None and b"/ObjStm" in head:
            plain = _decode_stream(head, stream, left)
            inside = _stream_objects(head, plain)
            whole &= bool(inside) and len(plain) < left
            left -= len(plain)
            objects += inside
    nodes = [(found[1], one) for one in objects if (found := _NODE.search(one))]
    roots = (one for kind, one in reversed(nodes) if kind == b"Pages" and not _PARENT.search(one))
    counts = [int(found[1]) for one in roots if (found := _COUNT.search(one))]
    if whole:
        counts.append(sum(kind == b"Page" for kind, _ in nodes))
    return next((count for count in counts if 0 < count <= MOST_PAGES), 0)


def _stream_objects(head: bytes, plain: bytes) -> list[bytes]:
    """Return the objects in an object stream, as bytes; [] if their offsets are not ascending.
    `head` is the stream's dictionary, `plain` its inflated bytes."""
    first = _FIRST.search(head)
    start = int(first[1]) if first else len(plain)
    ends = [start + int(one) for one in _FIGURE.findall(plain[:start])[1::2]]
    if ends != sorted(ends):  # one part could be read over and over
        return []
    return [plain[at:end] for at, end in pairwise((*ends, len(plain)))]


def _texts_and_streams(data: bytes) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield (bytes before a stream, bytes of the stream) for each stream. At the end, yield (bytes
    after the last stream, None)."""
    at = 0
    for _ in range(STREAMS):
        opened = _STREAM.search(data, at)
        if opened is None:
            yield data[at:], None
            return
        before = data[at : opened.start()]
        at = _stream_end(data, opened.end(), before)
        yield before, data[opened.end() : at]


def _stream_dictionary(before: bytes) -> bytes:
    """Return the dictionary of a stream, at most `HEAD` bytes: the end of `before`, the bytes
    before the stream."""
    head = before[-HEAD:]
    return head[head.rfind(b" obj") + 1 :]


def _stream_end(data: bytes, start: int, head: bytes) -> int:
    """Return the index at which the stream that begins at index `start` ends. `head` is the
    stream's dictionary."""
    told = list(_LENGTH.finditer(head[-HEAD:]))
    end = start + int(told[-1][1]) if told else 0
    if data.find(b"endstream", end, end + 16) < 0:
        end = data.find(b"endstream", start)
    return end if start <= end else len(data)


def _collect_stream(head: bytes, body: bytes, found: _FoundTexts) -> None:
    """Add the texts, strings or font map in a stream to `found`. `head` is the stream's dictionary,
    `body` its bytes."""
    plain = b"" if _NO_TEXT.search(head) else _decode_stream(head, body, found.left)
    if not plain:
        return
    found.left -= len(plain)
    if b"/ObjStm" in head:
        found.texts += _object_texts(plain)
    elif b"begincmap" in plain:
        found.maps.append(_font_map(plain))
    elif not CONTROL.search(_STRING.sub(b"", _INLINE.sub(b"", plain[:SAMPLE]))):
        if _SHOWS.search(plain):
            found.strings += map(_string_bytes, _STRING.findall(_KERNED.sub(_kerning_joint, plain)))
        else:
            found.texts.append(("XMP" if b"/Metadata" in head else "stream", _string_text(plain)))


def _decode_stream(head: bytes, body: bytes, most: int) -> bytes:
    """Return the decoded bytes of a stream, at most `most`; b"" if a filter is unknown or fails."""
    if _OTHER.search(head):
        return b""
    with suppress(zlib.error, ValueError, Error):
        if b"ASCII85Decode" in head:
            body = a85decode(body[:SLOW].strip().removesuffix(b"~>"))
        elif b"ASCIIHexDecode" in head:
            body = bytes.fromhex(body[:SLOW].partition(b">")[0].decode("ascii"))
        if b"FlateDecode" in head or b"/Fl " in head:
            return zlib.decompressobj().decompress(body, most) if most > 0 else b""
        return body[:most]
    return b""


def _kerning_joint(found: re.Match[bytes]) -> bytes:
    """Return what replaces the kerning between two strings of a page: b"" if both are literal or
    both hex, else the match unchanged."""
    alike = (found[1] == b")") == (found[2] == b"(")
    return b"" if alike else found[0]


def _object_texts(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield (where, text) for the texts in objects of a PDF."""
    for text in letter_run_texts(data, SHORT):
        yield "PDF objects", text
    values = (
        _string_bytes(one)
        for one in _STRING.findall(data)
        if one[:1] == b"<" or b"\\" in one or one[1:3] == b"\xfe\xff"
    )
    yield "PDF strings", "\n".join(_string_text(value) for value in values if len(value) >= SHORT)


def _string_bytes(string: bytes) -> bytes:
    """Return the bytes of a PDF string, `(literal)` or `<hex>`."""
    inner = string[1:-1]
    if string[:1] == b"<":
        digits = bytes(inner.translate(None, b" \t\r\n\f\0"))
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode("ascii"))
    return _ESCAPE.sub(_unescape, inner) if b"\\" in inner else inner


def _unescape(found: re.Match[bytes]) -> bytes:
    one = found[1]
    return bytes([int(one, 8) & 0xFF]) if one.isdigit() and one < b"8" else _ESCAPES.get(one, one)


def _string_text(value: bytes) -> str:
    """Return the bytes of a PDF string as text, decoded from UTF-16 or UTF-8; "" for text with
    control characters."""
    if value.startswith(b"\xfe\xff"):
        return value[2:].decode("utf-16-be", "replace")
    return "" if CONTROL.search(value[:SAMPLE]) else value.decode("utf-8", "replace")


def _font_map(data: bytes) -> tuple[int, dict[int, str]]:
    """Return (number of bytes in a code, {code: characters}), read from a font's character map."""
    width, codes = 1, dict[int, str]()
    for part in data.split(b"beginbf")[1:]:
        kind, body = part[:4], part.partition(b"endbf")[0]
        tokens = (
            mark or _string_bytes(b"<" + digits + b">") for digits, mark in _HEX.findall(body)
        )
        for first in tokens:
            last = first if kind == b"char" else next(tokens, b"")
            to = next(tokens, b"")
            start, width = int.from_bytes(first), max(width, len(first))
            if to == b"[":
                each = takewhile(lambda one: one != b"]", tokens)
                codes |= {start + more: _utf16_text(one) for more, one in enumerate(each)}
            elif base := _utf16_text(to):
                count = min(max(int.from_bytes(last) - start, 0), MOST)
                upto = min(ord(base[-1]) + count, sys.maxunicode) - ord(base[-1])
                codes |= {start + at: base[:-1] + chr(ord(base[-1]) + at) for at in range(upto + 1)}
    return width, codes


def _utf16_text(value: bytes) -> str:
    return value.decode("utf-16-be", "ignore")


def _text_by_map(strings: list[bytes], width: int, codes: dict[int, str]) -> str:
    """Return the strings of pages as one text, a string on each line. Each string consists of codes
    of `width` bytes; `codes` maps codes to characters."""
    if width == 1:
        table = {code: codes.get(code, "") for code in range(256)}
        return "\n".join(one.decode("latin-1").translate(table) for one in strings)
    joined = _NEXT.to_bytes(2).join(one for one in strings if len(one) % 2 == 0)
    text = joined.decode("utf-16-be", "replace")
    table = {ord(one): codes.get(ord(one), "") for one in set(text)} | {_NEXT: "\n"}
    return text.translate(table)
