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
    """Return the first `limit` bytes of a plain file, and the size of the file in bytes. Raises
    OSError for anything but a plain file. `flags` are added to those of `os.open`."""
    with os.fdopen(plain_descriptor(path, flags), "rb") as file:
        return file.read(limit), os.fstat(file.fileno()).st_size


def read_whole(path: str | Path, limit: int) -> bytes:
    """Return the bytes of a plain file. Raises OSError for a link or more than `limit` bytes."""
    data, _ = read_beginning(path, limit + 1, _NO_FOLLOW)
    if len(data) > limit:
        raise OSError(f"more than {limit:,} bytes")
    return data


def decode_text(data: bytes) -> str:
    """Return the text of a file, decoded by its byte order mark, else as UTF-8; U+FFFD stands for
    bytes that are no text.

    Editors and shells of Windows save UTF-16 with a mark (PowerShell 5.1 does for `>`)."""
    coding = next((name for mark, name in _MARKED.items() if data.startswith(mark)), "utf-8")
    return data.decode(coding, "replace").removeprefix("\ufeff")
