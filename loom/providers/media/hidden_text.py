"""Texts inside a payload that no one sees: comments and chunks of an image, strings of a document.

They are looked at for secrets alone. Each text that a PNG, a JPEG or a GIF holds is read by itself
too (PNG specification, 11.3.3; JPEG, B.2.4; GIF89a, 24 and 26): the length before it and the sum
behind it may read as letters of it, and a pattern of a whole word then finds none. Compressed texts
of a PNG are inflated, and letters with NULs between them are read as the text they are, also where
they stand behind the end of an image; what a PDF or an archive holds compressed is not.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Container, Iterator
from itertools import islice

from loom.lazy import lazy_re
from loom.redact.wide import WIDE

_PNG = b"\x89PNG\r\n\x1a\n"
_COMPRESSED = (b"zTXt", b"iTXt")
_PLAIN = (b"tEXt", b"iTXt", b"eXIf", b"iCCP")
_APPLICATION, _COMMENT, _SCAN = 0xE0, 0xFE, 0xDA  # segments of a JPEG
_EXTENSION = lazy_re(rb"!(?:\xfe|\xff\x0b.{11}|\x01\x0c.{12})(?=[^\0])", re.DOTALL)  # of a GIF
# ASCII between bytes that are none: those may be letters of another alphabet.
_PRINTED = lazy_re(rb"[\t\n\r -~]{8,}")
LARGEST = 1 << 20  # bytes of a chunk's text: more is not looked at
CHUNKS = 1_000  # of one image that are inflated


def texts_of(data: bytes) -> Iterator[str]:
    """The payload as text, byte for byte; its ASCII alone; what it says in UTF-16; each text of an
    image by itself, compressed ones inflated."""
    yield data.decode("latin-1")
    wide = b"\n".join(found[0].replace(b"\0", b"") for found in WIDE.finditer(data))
    apart = (
        text for head, read in _READERS.items() if data.startswith(head) for text in read(data)
    )
    hidden = map(_inflated, islice(_of_png(data, _COMPRESSED), CHUNKS))
    for text in (b"\n".join(_PRINTED.findall(data)), wide, b"\n".join(apart), *hidden):
        if text:
            yield text.decode("utf-8", "replace")


def _of_png(data: bytes, kinds: Container[bytes] = _PLAIN) -> Iterator[bytes]:
    """The chunks of a PNG that are of those kinds, as far as they can be read; none of another."""
    at = len(_PNG) if data.startswith(_PNG) else len(data)
    while len(kind := data[at + 4 : at + 8]) == 4:
        size = int.from_bytes(data[at : at + 4])
        if kind in kinds:
            yield data[at + 8 : at + 8 + size]
        at += size + 12


def _of_jpeg(data: bytes) -> Iterator[bytes]:
    """The comments of a JPEG and what programs wrote into it, before its pixels."""
    at = 2
    while data[at : at + 1] == b"\xff" and (kind := data[at + 1 : at + 2]) and kind[0] != _SCAN:
        size = int.from_bytes(data[at + 2 : at + 4])
        if kind[0] == _COMMENT or kind[0] & 0xF0 == _APPLICATION:
            yield data[at + 4 : at + 2 + size]
        at += max(size, 2) + 2


def _of_gif(data: bytes) -> Iterator[bytes]:
    """The comments of a GIF, its plain texts and what programs wrote into it, blocks joined."""
    at = 0
    while found := _EXTENSION.search(data, at):
        at, blocks = found.end(), []
        while size := data[at : at + 1].ljust(1, b"\0")[0]:
            blocks.append(data[at + 1 : at + 1 + size])
            at += size + 1
        yield b"".join(blocks)


_READERS: dict[bytes, Callable[[bytes], Iterator[bytes]]] = {
    _PNG: _of_png,
    b"\xff\xd8": _of_jpeg,
    b"GIF8": _of_gif,
}


def _inflated(body: bytes) -> bytes:
    """The text of a chunk, which begins behind its keyword at the first bytes of a zlib stream."""
    start = body.find(b"\x78", body.find(b"\0") + 1)
    if start < 0:
        return b""
    try:
        return zlib.decompressobj().decompress(body[start:], LARGEST)
    except zlib.error:
        return b""
