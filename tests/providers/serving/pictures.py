"""Pictures to send, and how they are spelt."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable
from struct import pack
from typing import Any

Chunks = Iterable[tuple[bytes, bytes]]


def png(width: int, height: int, shade: int = 0, chunks: Chunks = (), before: bytes = b"") -> bytes:
    """A grey picture, with chunks before its rows, and bytes before its header. Of one larger than
    64 pixels a side, some rows are missing."""
    rows = (b"\0" + bytes([shade]) * min(width, 64)) * min(height, 64)
    head = pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", head), *chunks, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    made = (
        pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + before + b"".join(made)


def coded(data: bytes) -> str:
    """Base64 of it."""
    return b64encode(data).decode()


def url(data: bytes, kind: str = "image/png") -> str:
    """A data URL of it."""
    return f"data:{kind};base64,{coded(data)}"


def chat(address: str) -> dict[str, Any]:
    """An image in Chat Completions."""
    return {"type": "image_url", "image_url": {"url": address, "detail": "auto"}}
