"""Texts inside a payload that no one sees: comments and chunks of an image, strings of a document.

They are looked at for secrets alone. Of a PNG the chunks of compressed text are inflated (PNG
specification, 11.3.3); what a PDF or an archive holds compressed is not.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
LARGEST = 1 << 20  # bytes of a chunk's text: more is not looked at
CHUNKS = 1_000  # of one image


def texts_of(data: bytes) -> Iterator[str]:
    """The payload as text, byte for byte, and each compressed text of a PNG."""
    yield data.decode("latin-1")
    if data.startswith(_PNG):
        for kind, body in _chunks(data):
            if kind in (b"zTXt", b"iTXt"):
                text = _inflated(body)
                if text:
                    yield text.decode("utf-8", "replace")


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(type, bytes) of the chunks of a PNG, as far as they can be read."""
    at = len(_PNG)
    for _ in range(CHUNKS):
        size, kind = int.from_bytes(data[at : at + 4]), data[at + 4 : at + 8]
        if len(kind) < 4:
            return
        yield kind, data[at + 8 : at + 8 + size]
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
