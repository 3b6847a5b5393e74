"""Bounded reading of plain files; nothing is opened that could block the reader, such as a pipe."""

from __future__ import annotations

import codecs
import os
from pathlib import Path

from loom.disk import plain_descriptor

_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
# Byte order marks and their encodings; that of UTF-32 begins with that of UTF-16.
_MARKED = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def read_beginning(path: str | Path, limit: int, flags: int = 0) -> tuple[bytes, int]:
    """Return the first `limit` bytes of a regular file, and its whole size in bytes. Raises OSError
    for folders, pipes and devices. `flags` are extra flags for `os.open`."""
    with os.fdopen(plain_descriptor(path, flags), "rb") as file:
        return file.read(limit), os.fstat(file.fileno()).st_size


def read_whole(path: str | Path, limit: int) -> bytes:
    """Return the bytes of a regular file. Raises OSError for a link or over `limit` bytes."""
    data, _ = read_beginning(path, limit + 1, _NO_FOLLOW)
    if len(data) > limit:
        raise OSError(f"more than {limit:,} bytes")
    return data


def decode_text(data: bytes) -> str:
    """Return `data` decoded as its byte order mark says, else as UTF-8. Undecodable bytes become
    U+FFFD."""
    coding = next((name for mark, name in _MARKED.items() if data.startswith(mark)), "utf-8")
    return data.decode(coding, "replace").removeprefix("\ufeff")
