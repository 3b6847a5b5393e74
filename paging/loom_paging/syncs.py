"""Bytes brought from the system's memory to the disk: the one place Loom does it.

On macOS `fsync` hands bytes to the drive and lets them rest in the drive's own cache, which a power
cut empties. There F_FULLFSYNC has the drive write them down. A file system that does not know it
(one of a network, or of another system) refuses, and gets a plain `fsync`; an error of the disk is
raised.
"""

from __future__ import annotations

import os
from errno import EINVAL, ENODEV, ENOSYS, ENOTSUP, ENOTTY, EOPNOTSUPP

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_REFUSED = frozenset({EINVAL, ENODEV, ENOSYS, ENOTSUP, ENOTTY, EOPNOTSUPP})


def flush(descriptor: int) -> None:
    """Make what an open file or folder holds outlive a power cut. Raises OSError."""
    if not _flushed(descriptor):
        os.fsync(descriptor)


def flush_data(descriptor: int) -> None:
    """The same of a file's bytes and its size alone, where the system knows a difference."""
    if not _flushed(descriptor):
        getattr(os, "fdatasync", os.fsync)(descriptor)


def _flushed(descriptor: int) -> bool:
    """Have the drive write down its cache; False where that cannot be asked for."""
    command = getattr(fcntl, "F_FULLFSYNC", None)
    if command is None:
        return False
    try:
        fcntl.fcntl(descriptor, command)
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
        return False
    return True
