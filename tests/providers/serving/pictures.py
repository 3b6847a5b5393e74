"""Pictures to send, and how they are spelt."""

from __future__ import annotations

import zlib
from base64 import b64encode
from struct import pack
from typing import Any


def png(width: int, height: int, shade: int = 0) -> bytes:
    """A grey picture; of one larger than 64 pixels a side, some rows are missing."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))

    rows = (b"\0" + bytes([shade]) * min(width, 64)) * min(height, 64)
    head = chunk(b"IHDR", pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def coded(data: bytes) -> str:
    """Base64 of it."""
    return b64encode(data).decode()


def url(data: bytes, kind: str = "image/png") -> str:
    """A data URL of it."""
    return f"data:{kind};base64,{coded(data)}"


def chat(address: str) -> dict[str, Any]:
    """An image in Chat Completions."""
    return {"type": "image_url", "image_url": {"url": address, "detail": "auto"}}
