"""Files that are not in place yet: made beside where they go, and swept when a crash left them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection
from itertools import count
from pathlib import Path

from loom_paging.folders import write_whole
from loom_paging.names import TEMPORARY
from loom_paging.plain import walk

PLACING = f"{TEMPORARY}lock"  # held where a file system has no hard links; never swept


class Temporaries:
    """The temporary files below `root`; those in the folders `others`, at its top, are not its."""

    def __init__(self, root: Path, others: Collection[str]) -> None:
        self._root = root
        self._others = frozenset(others)
        # Process ids repeat between machines, and between the stores of one process.
        self._mark = secrets.token_hex(4)
        self._numbers = count()

    def made(self, folder: Path, data: bytes, *, durable: bool) -> Path:
        """A new temporary file in a folder, with these bytes."""
        path = folder / f"{TEMPORARY}{os.getpid()}-{self._mark}-{next(self._numbers)}"
        write_whole(path, data, durable=durable)
        return path

    def left(self) -> list[str]:
        """The names of those there are, sorted."""
        found = (name.split("/") for name in walk(self._root, self._root, "") if name != PLACING)
        return sorted(
            "/".join(parts)
            for parts in found
            if parts[-1].startswith(TEMPORARY) and parts[0] not in self._others
        )

    def sweep(self) -> list[str]:
        """Remove them; for the one writer only."""
        swept = self.left()
        for name in swept:
            (self._root / name).unlink(missing_ok=True)
        return swept
