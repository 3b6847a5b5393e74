"""Files: what others change in the project while the agent works.

The tree is swept by stat, without a link followed or a file opened, and compared with how it stood
at the sweep before; a sweep that took long is made the less often. All changes of one sweep are one
signal. Folders that are not the project's own, and what editors leave behind, are left out. In a
tree too large for that the system's notifications (watchfiles) are told as they come.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from loom.capabilities.events.poller import Signal, occurred
from loom.capabilities.foreign import FOREIGN
from loom.lazy import lazy_re
from loom.text import cut_front, one_line

if TYPE_CHECKING:
    from watchfiles import Change

ENTRIES_MAX = 200_000  # in the table
SHARE = 50  # times as long as a sweep took, until the next one
SHOWN, PATH_CHARS = 3, 40  # paths named in a summary, and characters of each
CHANGED, NEW, DELETED = "changed", "new", "deleted"
_LEFT = lazy_re(r".*\.(?:py[cod]|sw.)|.*~|\.#.*|\.DS_Store|.*___jb_..._+")  # by editors, Python

State: TypeAlias = tuple[str, int, int]  # "/" for a folder, size, time in ns; 0 for folders
Notified: TypeAlias = Generator[set[tuple["Change", str]], None, None]
VERBS = {"modified": CHANGED, "added": NEW, "deleted": DELETED}


class FileWatch:
    """Signals for changes under `root`: files, folders and links; `ignore` are folders left out.

    `clock` gives seconds for the sweeps.
    """

    name = "files"

    def __init__(
        self,
        root: Path,
        ignore: Iterable[Path] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = str(root.resolve())
        self._ignored = {str(path.resolve()) for path in ignore}
        self._clock = clock
        self._known: dict[str, State] | None = None
        self._due = 0.0
        self._notified: Notified | None = None  # of a tree too large for the table

    def look(self) -> list[Signal]:
        """One signal for all that has changed since the sweep before.

        Raises FileNotFoundError while there is no such folder.
        """
        if self._notified is not None:
            return self._told_of(next(self._notified))
        begun = self._clock()
        if self._known is not None and begun < self._due:
            return []
        if not Path(self._root).is_dir():
            raise FileNotFoundError(f"{self._root} is no folder: its changes cannot be told")
        before, now = self._known, {}
        for path, state in self._walked():
            now[path] = state
            if len(now) > ENTRIES_MAX:
                self._notified = _notifications(self._root)
                text = (
                    f"{self.name}: more than {ENTRIES_MAX:,} entries: changes are told as notified"
                )
                next(self._notified)
                return [occurred("heartbeat", text, "low", self._root)]
        self._known = now
        taken = self._clock()
        self._due = taken + SHARE * (taken - begun)
        if before is None or before == now:
            return []
        changed = [path for path in now if before.get(path, now[path]) != now[path]]
        found = [
            *((CHANGED, path, now[path]) for path in sorted(changed)),
            *((NEW, path, now[path]) for path in sorted(now.keys() - before.keys())),
            *((DELETED, path, before[path]) for path in sorted(before.keys() - now.keys())),
        ]
        return self._said(found)

    def _told_of(self, changes: Iterable[tuple[Change, str]]) -> list[Signal]:
        """One signal for the changes the system tells of."""
        verbs = {path: VERBS[change.name] for change, path in changes if self._is_own(path)}
        states = {path: ("/" * Path(path).is_dir(), 0, 0) for path in verbs}
        order = (CHANGED, NEW, DELETED)
        found = sorted(verbs, key=lambda path: (order.index(verbs[path]), path))
        return self._said([(verbs[path], path, states[path]) for path in found]) if found else []

    def _walked(self) -> Iterator[tuple[str, State]]:
        """(path, state) of everything wanted; folders that cannot be read count as empty, and
        devices, pipes and sockets are no entries."""
        folders = [self._root]
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    found = [entry for entry in entries if self._wanted(entry)]
            except OSError:
                continue
            for entry in found:
                try:
                    seen = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISDIR(seen.st_mode):
                    folders.append(entry.path)
                    yield entry.path, ("/", 0, 0)
                elif stat.S_ISREG(seen.st_mode) or stat.S_ISLNK(seen.st_mode):
                    yield entry.path, ("", seen.st_size, seen.st_mtime_ns)

    def _wanted(self, entry: os.DirEntry[str]) -> bool:
        if entry.is_dir(follow_symlinks=False):
            return entry.name.lower() not in FOREIGN and entry.path not in self._ignored
        return not _LEFT.fullmatch(entry.name)

    def _is_own(self, path: str) -> bool:
        """True for the path of an entry that a sweep would look at."""
        *folders, name = Path(path[len(self._root) + 1 :].lower()).parts
        return not (
            _LEFT.fullmatch(name)
            or not FOREIGN.keys().isdisjoint((*folders, name))
            or any(path == one or path.startswith(one + os.sep) for one in self._ignored)
        )

    def _said(self, found: list[tuple[str, str, State]]) -> list[Signal]:
        """One signal: how many of each, and the first few paths."""
        counts = {verb: sum(one[0] == verb for one in found) for verb in (CHANGED, NEW, DELETED)}
        said = ", ".join(f"{count:,} {verb}" for verb, count in counts.items() if count)
        paths = ", ".join(self._shown(path) + state[0] for _, path, state in found[:SHOWN])
        more = f" and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
        # The same file may come and go again: the time tells one such change from the next.
        marks = (time.time_ns(), *found[:SHOWN])
        return [occurred("files", f"{said}: {paths}{more}", "normal", *marks)]

    def _shown(self, path: str) -> str:
        inside = path[len(self._root) + 1 :].replace(os.sep, "/")
        return cut_front(one_line(inside, len(inside) + 1), PATH_CHARS)


def _notifications(root: str) -> Notified:
    """The changes below a folder as the system tells of them, those since the value before."""
    from watchfiles import watch

    return watch(
        root, watch_filter=None, debounce=50, step=5, rust_timeout=1, yield_on_timeout=True,
        ignore_permission_denied=True,
    )  # fmt: skip
