"""When a store of files syncs what it writes: at once, never, or together when a turn ends.

Theory of operation. With "turn" the pages an agent rests and the lines of its journal are written
at once, so that a process that is killed loses nothing, and their syncs wait. `settle` does them in
an order that a power cut may break off anywhere: files of pages, then the folders with their names,
then the journal that tells of them. Only what a reader of the journal can hold against it may wait
(`loom_paging.unclaimed`): all else a store writes, and all it removes, is durable on return, and
whatever waited is settled first. So is an append of no bytes.

A sync that failed is not tried again: the system may have dropped what it could not write, and
would say of the next one that it went well. Whoever opens the store anew finds what is there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

from loom_paging.errors import PagingError
from loom_paging.folders import sync_folder
from loom_paging.syncs import flush, flush_data

Durable: TypeAlias = bool | Literal["turn"]
TURN = "turn"
MOST = 1_000  # files that wait at most: those of a larger turn are synced on the way
WAITING = ("outputs/", "snapshots/", "journal/")


class WaitingSyncs:
    """The syncs of one store: those that wait, and those that do not."""

    def __init__(self, durable: Durable) -> None:
        self.durable = durable
        self._files: dict[Path, None] = {}
        self._folders: dict[Path, None] = {}
        self._logs: dict[Path, None] = {}
        self._failed = ""

    def waits(self, name: str) -> bool:
        """Tell whether the syncs of what is written under a name wait. Where not, all that waits is
        settled before it is written. Raises as `settle`."""
        if self.durable == TURN and name.startswith(WAITING):
            return True
        self.settle()
        return False

    def file(self, path: Path, *, waits: bool = False) -> None:
        """Make a file durable, now or when it is settled."""
        if waits:
            self._files[path] = None
            if len(self._files) >= MOST:
                self._each(self._files, _flush_file)
        elif self.durable:
            _flush_file(path)

    def folder(self, path: Path, *, waits: bool = False) -> None:
        """The same of the names in a folder."""
        if waits:
            self._folders[path] = None
        elif self.durable:
            sync_folder(path)

    def log(self, descriptor: int, path: Path, *, waits: bool = False) -> None:
        """The same of a log that is open."""
        if waits:
            self._logs[path] = None
        elif self.durable:
            flush_data(descriptor)

    def settled(self, log: Path) -> bool:
        """Make durable all that waits, and tell whether a log was among it. Raises as `settle`."""
        waited = log in self._logs
        self.settle()
        return waited

    def settle(self) -> None:
        """Make durable all that waits. Raises OSError, and PagingError after it was raised once."""
        if self._failed:
            raise PagingError(f"a sync failed ({self._failed}): close the store and open it again")
        self._each(self._files, _flush_file)
        self._each(self._folders, sync_folder)
        self._each(self._logs, _flush_log)

    def _each(self, waiting: dict[Path, None], sync: Callable[[Path], None]) -> None:
        """Sync each of them; after an interrupt those that were not wait on."""
        for path in [*waiting]:
            try:
                sync(path)
            except FileNotFoundError:  # removed by someone else: opening tells of what is missing
                pass
            except OSError as error:
                self._failed = str(error)
                raise
            waiting.pop(path, None)


def _flush_file(path: Path) -> None:
    with path.open("r+b") as file:
        flush(file.fileno())


def _flush_log(path: Path) -> None:
    with path.open("r+b") as file:
        flush_data(file.fileno())
