"""Texts inside a payload that no one sees: comments and chunks of an image, strings of a document.

They are looked at for secrets alone. Of a PNG the chunks of compressed text are inflated (PNG
specification, 11.3.3), and letters with NULs between them are read as the text they are, also where
they stand behind the end of an image; what a PDF or an archive holds compressed is not.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import islice

from loom.redact.wide import WIDE

_PNG = b"\x89PNG\r\n\x1a\n"
_COMPRESSED = (b"zTXt", b"iTXt")
LARGEST = 1 << 20  # bytes of a chunk's text: more is not looked at
CHUNKS = 1_000  # of one image that are inflated


def texts_of(data: bytes) -> Iterator[str]:
    """The payload as text, byte for byte, what it says in UTF-16, each compressed text of a PNG."""
    yield data.decode("latin-1")
    wide = b"\n".join(found[0].replace(b"\0", b"") for found in WIDE.finditer(data))
    if wide:
        yield wide.decode("ascii")
    if data.startswith(_PNG):
        for body in islice(_texts(data), CHUNKS):
            text = _inflated(body)
            if text:
                yield text.decode("utf-8", "replace")


def _texts(data: bytes) -> Iterator[bytes]:
    """The chunks of a PNG that may hold a compressed text, as far as they can be read."""
    at = len(_PNG)
    while len(kind := data[at + 4 : at + 8]) == 4:
        size = int.from_bytes(data[at : at + 4])
        if kind in _COMPRESSED:
            yield data[at + 8 : at + 8 + size]
        at += size + 12


def _inflated(body: bytes) -> bytes:
    """The text of a chunk, which begins behind its keyword at the first bytes of a zlib stream."""
    start = body.find(b"\x78", body.find(b"\0") + 1)
    if start < 0:
        return b""
    try:
        return zlib.decompressobj().decompress(body[start:], LARGEST)
    except zlib.error:
        return b""
