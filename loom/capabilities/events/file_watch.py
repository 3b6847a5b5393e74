"""Watch the files that others change in the project while the agent works.

The tree is swept by stat, without a link followed or a file opened, and compared with its state at
the sweep before. A sweep that took long is made less often, but sooner where the system notifies of
a change (watchfiles). All changes of one sweep are one signal. Folders that are not the project's
own, and files that editors leave behind, are left out. (A notification tells neither a replaced
file from a new one, nor all that a new folder holds: so a sweep finds what changed.)"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from loom.capabilities.events.poller import Signal, make_signal
from loom.capabilities.foreign import FOREIGN
from loom.lazy import lazy_re
from loom.text import clip_front, one_line

SHARE = 50  # times as long as a sweep took, until the next one …
SOONER = 5  # … where the system notifies of a change
SHOWN, PATH_CHARS = 3, 40  # paths named in a summary, and characters of each
_LEFT = lazy_re(r".*\.(?:py[cod]|sw.)|.*~|\.#.*|\.DS_Store|.*___jb_..._+")  # by editors, Python

State: TypeAlias = tuple[str, int, int]  # "/" for a folder, size, time in ns; 0 for folders


class FileWatch:
    """A source of signals for files, folders and links that change below `root`. The folders
    `ignore` are left out. `clock` returns seconds."""

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
        self._soon = self._due = 0.0
        self._notified: Iterator[set[Any]] | None = None  # once a sweep took long

    def look(self) -> list[Signal]:
        """Return one signal that names all changes since the previous scan; [] without changes, on
        the first scan, or when it is too early to scan again. Raises FileNotFoundError when the
        folder `root` does not exist."""
        begun = self._clock()
        if begun < self._soon or (begun < self._due and not self._is_notified()):
            return []
        if not Path(self._root).is_dir():
            raise FileNotFoundError(f"{self._root} is no folder: its changes cannot be told")
        before, now = self._known, dict(self._walk_tree())
        taken = self._clock()
        self._soon = taken + SOONER * (taken - begun)
        self._due = taken + SHARE * (taken - begun)
        self._known = now
        if before is None or before == now:
            return []
        changed = (path for path in now if before.get(path, now[path]) != now[path])
        found = {
            "changed": sorted(changed),
            "new": sorted(now.keys() - before.keys()),
            "deleted": sorted(before.keys() - now.keys()),
        }
        paths = [path for some in found.values() for path in some]
        said = ", ".join(f"{len(some):,} {verb}" for verb, some in found.items() if some)
        shown = ", ".join(
            self._short_path(one) + {**before, **now}[one][0] for one in paths[:SHOWN]
        )
        more = f" and {len(paths) - SHOWN:,} more" if len(paths) > SHOWN else ""
        # The same file may come and go again: the time tells one such change from the next.
        marks = (time.time_ns(), *paths[:SHOWN])
        return [make_signal("files", f"{said}: {shown}{more}", "normal", *marks)]

    def _is_notified(self) -> bool:
        """Return True if the operating system reported a change since the last call; False also
        when the system cannot report changes."""
        if self._notified is None:
            from watchfiles import watch

            self._notified = watch(
                self._root, watch_filter=None, debounce=50, step=5, rust_timeout=1,
                yield_on_timeout=True, ignore_permission_denied=True,
            )  # fmt: skip
        with suppress(OSError, RuntimeError):
            return bool(next(self._notified, ()))
        return False

    def _walk_tree(self) -> Iterator[tuple[str, State]]:
        """Yield the path and the state (kind, size, time) of each file, folder and link below the
        root. Unreadable folders count as empty."""
        for at, folders, names in os.walk(self._root):
            folders[:] = [
                name
                for name in folders
                if name.lower() not in FOREIGN and f"{at}{os.sep}{name}" not in self._ignored
            ]
            for name in (*folders, *(one for one in names if not _LEFT.fullmatch(one))):
                path = f"{at}{os.sep}{name}"
                with suppress(OSError):
                    seen = os.lstat(path)
                    if stat.S_ISDIR(seen.st_mode):
                        yield path, ("/", 0, 0)
                    elif stat.S_ISREG(seen.st_mode) or stat.S_ISLNK(seen.st_mode):
                        yield path, ("", seen.st_size, seen.st_mtime_ns)

    def _short_path(self, path: str) -> str:
        """Return a path relative to the root, at most its last PATH_CHARS characters."""
        inside = path[len(self._root) + 1 :].replace(os.sep, "/")
        return clip_front(one_line(inside, len(inside) + 1), PATH_CHARS)
