"""Files: what others change in the project while the agent works.

The tree is walked by stat and held against the walk before, at most one part in a hundred of the
time, so that a large project is walked less often. An atomic replace is one change, a temporary
file that came and went between two walks is none. All changes of one look are one signal. No
symbolic link is followed; devices, pipes and sockets are no entries.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from loom.capabilities.events.signal import Signal, occurred
from loom.capabilities.foreign import FOREIGN
from loom.lazy import lazy_re
from loom.text import cut_front, one_line

ENTRIES_MAX = 100_000  # in the table
TIMES = 100  # a walk is made at most one part in so many of the time
SHOWN, PATH_CHARS = 3, 40  # paths named in a summary, and characters of each
FOLDER = stat.S_IFDIR
_KINDS = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)
_NOISE = lazy_re(r".*~|.*\.py[cod]|.*\.sw.|\.DS_Store|\.#.*|4913")  # of Python and of editors

State: TypeAlias = tuple[int, int, int, int]  # kind, size, time in ns, number; of a folder the kind


class FileWatch:
    """Signals for changes under `root`: files, folders and links; `ignore` are folders left out.

    Left out too are folders that are installed, copied in or made by tools (`FOREIGN`), and what
    editors leave for a moment. `clock` gives seconds. A file whose size, time and number stay is
    taken as unchanged, one that is written again with what it held as changed.
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

    def look(self) -> list[Signal]:
        """One signal for all that has changed since the look before; the first begins.

        Raises FileNotFoundError while there is no such folder.
        """
        if not Path(self._root).is_dir():
            raise FileNotFoundError(f"{self._root} is no folder: its changes cannot be told")
        begun = self._clock()
        if self._known is not None and begun < self._due:
            return []
        found = dict(self._walk())
        known, self._known = self._known, found
        self._due = self._clock() + TIMES * (self._clock() - begun)
        if known is not None:
            return self._said(known, found)
        if len(found) < ENTRIES_MAX:
            return []
        text = f"{self.name}: more than {ENTRIES_MAX:,} entries: changes of the rest are not told"
        return [occurred("heartbeat", text, "low", self._root, "partial")]

    def close(self) -> None:
        """Nothing is held; what changes until the next look is told by that."""

    def _walk(self) -> Iterator[tuple[str, State]]:
        """(path, state) of what is wanted, at most ENTRIES_MAX; a folder before what lies in it."""
        folders, count = [self._root], 0
        for folder in folders:
            try:
                with os.scandir(folder) as entries:
                    held = sorted(entries, key=lambda entry: entry.name)
            except OSError:  # it cannot be read, or went meanwhile
                continue
            for entry in held:
                state = self._state(entry)
                if state is None:
                    continue
                if (count := count + 1) > ENTRIES_MAX:
                    return
                yield entry.path, state
                if state[0] == FOLDER:
                    folders.append(entry.path)

    def _state(self, entry: os.DirEntry[str]) -> State | None:
        """What tells one state of an entry from another; None for what is left out."""
        try:
            found = entry.stat(follow_symlinks=False)
        except OSError:
            return None
        kind = stat.S_IFMT(found.st_mode)
        if kind == FOLDER:
            left_out = entry.name in FOREIGN or entry.path in self._ignored
            return None if left_out else (kind, 0, 0, 0)
        if kind not in _KINDS or _NOISE.fullmatch(entry.name):
            return None
        return kind, found.st_size, found.st_mtime_ns, found.st_ino

    def _said(self, known: dict[str, State], found: dict[str, State]) -> list[Signal]:
        """One signal: how many of each change, and the first few paths."""
        changes = {
            "changed": sorted(p for p in found if p in known and found[p] != known[p]),
            "new": sorted(found.keys() - known.keys()),
            "deleted": sorted(known.keys() - found.keys()),
        }
        paths = [path for held in changes.values() for path in held]
        if not paths:
            return []
        shown = [self._shown(path, found.get(path) or known[path]) for path in paths[:SHOWN]]
        more = f" and {len(paths) - SHOWN:,} more" if len(paths) > SHOWN else ""
        said = ", ".join(f"{len(held):,} {verb}" for verb, held in changes.items() if held)
        summary = f"{said}: {', '.join(shown)}{more}"
        return [occurred("files", summary, "normal", *paths, time.time_ns())]

    def _shown(self, path: str, state: State) -> str:
        inside = path[len(self._root) + 1 :].replace(os.sep, "/")
        end = "/" if state[0] == FOLDER else ""
        return cut_front(one_line(inside, len(inside) + 1) + end, PATH_CHARS)
