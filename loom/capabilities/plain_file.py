"""Bounded reading of plain files; nothing is opened that could make the reader wait."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer opens at once
_BINARY: int = getattr(os, "O_BINARY", 0)


def beginning(path: str | Path, limit: int, flags: int = 0) -> tuple[bytes, int]:
    """(the first `limit` bytes of a plain file, its size); raises OSError for anything else."""
    descriptor = os.open(path, os.O_RDONLY | _NO_WAIT | _BINARY | flags)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("no plain file")
        return file.read(limit), found.st_size


def contents(path: str | Path, limit: int) -> bytes:
    """The bytes of a plain file; raises OSError for a link and for more than `limit`."""
    data, _ = beginning(path, limit + 1, _NO_FOLLOW)
    if len(data) > limit:
        raise OSError(f"more than {limit:,} bytes")
    return data
