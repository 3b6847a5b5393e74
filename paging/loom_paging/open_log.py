"""The log a store of files has open: one at a time, the one appended to last.

An agent writes one segment of its journal for days, and descriptors are few.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from loom_paging.errors import PageExists, StoreReplaced
from loom_paging.plain import BINARY, private_file, private_folders


class OpenLog:
    """The open log of the store below `root`, or none."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._open: tuple[str, int] | None = None

    def descriptor(self, name: str, path: Path, begin: Callable[[], int]) -> int:
        """The descriptor of a log; one that is not open yet is opened by `begin`.

        Raises PageExists when its bytes have a second name, StoreReplaced when someone has removed
        or replaced the file since it was opened: bytes written to it would be lost.
        """
        if self._open is None or self._open[0] != name:
            self.close()
            self._open = name, begin()
        descriptor = self._open[1]
        about = os.fstat(descriptor)
        if about.st_nlink > 1:
            self.close(name)
            raise PageExists(name)
        if not about.st_nlink or not (path.exists() and os.path.samestat(about, path.stat())):
            raise StoreReplaced(str(self._root), f"{name} was removed or replaced")
        return descriptor

    def close(self, name: str | None = None) -> None:
        """Close it, whichever it is, or only where it is the log `name`."""
        if self._open is not None and name in (None, self._open[0]):
            descriptor, self._open = self._open[1], None
            os.close(descriptor)


def begin(path: Path, sync: Callable[[Path], None], *, new: bool, create: bool) -> int:
    """Open a log to append to it; a `new` one lasts, and is made with `create`."""
    if new and create:
        private_folders(path.parent, sync)
    descriptor = private_file(path, os.O_WRONLY | os.O_APPEND | BINARY | os.O_CREAT * create)
    try:
        if new:
            sync(path.parent)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
