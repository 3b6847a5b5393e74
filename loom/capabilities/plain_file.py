"""Bounded reading of plain files; nothing is opened that could make the reader wait."""

from __future__ import annotations

import os
from pathlib import Path

from loom.disk import plain_descriptor

_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)


def beginning(path: str | Path, limit: int, flags: int = 0) -> tuple[bytes, int]:
    """(the first `limit` bytes of a plain file, its size); raises OSError for anything else."""
    with os.fdopen(plain_descriptor(path, flags), "rb") as file:
        return file.read(limit), os.fstat(file.fileno()).st_size


def contents(path: str | Path, limit: int) -> bytes:
    """The bytes of a plain file; raises OSError for a link and for more than `limit`."""
    data, _ = beginning(path, limit + 1, _NO_FOLLOW)
    if len(data) > limit:
        raise OSError(f"more than {limit:,} bytes")
    return data
