"""Files: what others change in the project while the agent works.

Theory of operation
-------------------
The system's notifications (through watchfiles) are taken as hints, never as the truth: they say
which paths to compare with the table of what was there. So an atomic replace is one change, a
temporary file is none, a file written again with the same content is none, and a folder that
comes or goes brings or takes everything in it. All changes of one look are one signal.

Hints get lost (queues overflow, some file systems send none), so the whole tree is swept by stat
now and then, at most one part in a hundred of the time; where notifications cannot be had at all
the sweep alone finds the changes. Times of files move in ticks, so what was young at the sweep
before is compared by content: it may have been written again within its tick. The table is made
at the first look, after the watching began; hints of that time are believed, since the table may
already hold what they tell. They are believed too in a tree too large for the table.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from loom.capabilities.events.file_tree import FOLDER, HASHED, Stamp, stamp, walk
from loom.capabilities.events.signal import Signal, occurred
from loom.text import cut_front, one_line

if TYPE_CHECKING:
    from watchfiles import Change

ENTRIES_MAX = 100_000  # in the table
BASELINE_BYTES = 64_000_000  # read to know contents beforehand; beyond it size and time must do
GRAIN = 2_000_000_000  # ns: the longest tick of file times, that of FAT; others have some ms
SWEEP_S = 60.0  # between two sweeps, when they are quick
SHOWN, PATH_CHARS = 3, 40  # paths named in a summary, and characters of each
CHANGED, NEW, DELETED = "changed", "new", "deleted"

Hints = dict[str, set[str]]
Found = tuple[str, str, Stamp | None, Stamp | None]  # verb, path, before, now


class FileWatch:
    """Signals for changes under `root`: files, folders and links; `ignore` are folders left out.

    Left out too is what `watchfiles.DefaultFilter` leaves out: .git, __pycache__, node_modules,
    .venv, editors' swap files and the like. `clock` gives seconds for the sweeps.
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
        self._known: dict[str, Stamp] = {}
        self._begun = self._partial = False
        self._hints: Generator[set[tuple[Change, str]], None, None] | None = None
        self._early: set[tuple[Change, str]] = set()
        self._place = (0, 0)  # device and number of the root that is watched
        self._due = 0.0
        self._settled = 0  # ns: what was changed after it may have changed again in the same tick
        self._noise: Callable[[str], bool] = lambda path: False

    def look(self) -> list[Signal]:
        """One signal for all that has changed, beside what is wrong with the watching.

        Raises FileNotFoundError while there is no such folder.
        """
        if not Path(self._root).is_dir():
            self.close()
            raise FileNotFoundError(f"{self._root} is no folder: its changes cannot be told")
        told = [] if self._hints and self._place == self._at() else self._open()
        first, hints = not self._begun, {}
        if first:
            told += self._learn()
        elif self._clock() >= self._due and not self._partial:
            hints = self._swept()
        for path, verbs in self._hinted().items():
            hints.setdefault(path, set()).update(verbs)
        found = list(self._compared(hints, believed=first or self._partial))
        return [*told, self._said(found)] if found else told

    def close(self) -> None:
        """Let go of the notifications; what changes until the next look is found by a sweep."""
        if self._hints is not None:
            self._hints.close()
            self._hints = None

    # --- what may have changed ---

    def _open(self) -> list[Signal]:
        """Begin to take notifications; a signal when they cannot be had."""
        from watchfiles import Change, DefaultFilter, watch

        self.close()
        noise = DefaultFilter()
        # Asked with the path inside the root: a root in a folder called .venv is no noise.
        self._noise = lambda path: not noise(Change.modified, path[len(self._root) + 1 :])
        self._place, self._due = self._at(), -math.inf
        self._hints = watch(
            self._root,
            watch_filter=None,  # filtered hints would make it wait for others
            debounce=50,
            step=5,
            rust_timeout=1,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        try:
            self._early = next(self._hints)
        except (OSError, RuntimeError, StopIteration) as error:
            self._hints = _silence()
            text = f"{self.name}: no notifications ({error}); looked through every {SWEEP_S:.0f} s"
            return [occurred("heartbeat", text, "normal", self._root, type(error))]
        return []

    def _hinted(self) -> Hints:
        """The paths notified of since the look before, with what was said of each."""
        verbs = {"added": NEW, "modified": CHANGED, "deleted": DELETED}
        hints: Hints = {}
        try:
            changes = next(self._hints) if self._hints else set()
        except StopIteration:  # interrupted; the next look begins again, with a sweep
            self._hints, changes = None, set()
        changes, self._early = changes | self._early, set()
        for change, path in changes:
            if self._wanted(path):
                hints.setdefault(path, set()).add(verbs[change.name])
        return hints

    def _learn(self) -> list[Signal]:
        """Make the table; a signal when the tree is too large for it."""
        room, self._settled = BASELINE_BYTES, time.time_ns() - GRAIN
        for path, found in walk(self._root, self._wanted):
            if len(self._known) >= ENTRIES_MAX:
                self._partial = True
                break
            known = stamp(path, min(HASHED, room)) if room > 0 else found
            if known is not None:
                self._known[path] = known
                room -= known.size if known.digest else 0
        self._begun, self._due = True, self._clock() + SWEEP_S
        if not self._partial:
            return []
        text = f"{self.name}: more than {ENTRIES_MAX:,} entries: changes are told as notified"
        return [occurred("heartbeat", text, "low", self._root, "partial")]

    def _swept(self) -> Hints:
        """The paths whose state by stat alone is not that of the table."""
        begun = self._clock()
        settled, self._settled = self._settled, time.time_ns() - GRAIN
        hints: Hints = {}
        seen = set()
        for path, found in walk(self._root, self._wanted):
            seen.add(path)
            known = self._known.get(path)
            young = found.mtime > settled and known is not None and known.digest
            if known is None or young or not known.unmoved(found):
                hints[path] = {CHANGED if known else NEW}
        hints.update({path: {DELETED} for path in self._known if path not in seen})
        now = self._clock()
        self._due = now + max(SWEEP_S, 100 * (now - begun))
        return hints

    # --- what has ---

    def _compared(self, hints: Hints, *, believed: bool) -> Iterator[Found]:
        for path in sorted(self._widened(hints)):
            before, now = self._known.get(path), stamp(path)
            verb = _verb(before, now)
            if believed and not (before and verb):
                verb = _verb_told(hints.get(path, set()), now) or verb
            if now is None:
                self._known.pop(path, None)
            elif before is not None or len(self._known) < ENTRIES_MAX:
                self._known[path] = now
            if verb:
                yield verb, path, before, now

    def _widened(self, hints: Hints) -> set[str]:
        """The paths hinted at, what lies in folders that came, and what lay in those that went."""
        wide = set(hints)
        gone: list[str] = []
        for path, verbs in sorted(hints.items()):
            if verbs == {CHANGED}:
                continue
            now = stamp(path, 0)
            if now and now.kind == FOLDER:
                wide.update(below for below, _ in walk(path, self._wanted))
            known = self._known.get(path)
            if known and known.kind == FOLDER and not (gone and path.startswith(gone[-1])):
                gone.append(path + os.sep)
        if gone:
            wide.update(path for path in self._known if path.startswith(tuple(gone)))
        return wide

    def _wanted(self, path: str) -> bool:
        if not path.startswith(self._root + os.sep) or self._noise(path):
            return False
        return not any(
            path == folder or path.startswith(folder + os.sep) for folder in self._ignored
        )

    def _at(self) -> tuple[int, int]:
        found = Path(self._root).stat()
        return found.st_dev, found.st_ino

    def _said(self, found: list[Found]) -> Signal:
        """One signal: how many of each, and the first few paths."""
        order = (CHANGED, NEW, DELETED)
        found = sorted(found, key=lambda change: (order.index(change[0]), change[1]))
        counts = {verb: sum(change[0] == verb for change in found) for verb in order}
        paths = [self._shown(path, now or before) for _, path, before, now in found[:SHOWN]]
        more = f" and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
        said = ", ".join(f"{count:,} {verb}" for verb, count in counts.items() if count)
        # What was not in the table has no state that tells one deletion from the next.
        unknown = [time.time_ns() for _, _, before, now in found if before is now]
        summary = f"{said}: {', '.join(paths)}{more}"
        return occurred("files", summary, "normal", *found, *unknown)

    def _shown(self, path: str, state: Stamp | None) -> str:
        inside = path[len(self._root) + 1 :].replace(os.sep, "/")
        end = "/" if state and state.kind == FOLDER else ""
        return cut_front(one_line(inside, len(inside) + 1) + end, PATH_CHARS)


def _verb(before: Stamp | None, now: Stamp | None) -> str:
    """The change between two states; "" for none."""
    if before is None or now is None:
        return "" if before is now else NEW if before is None else DELETED
    return "" if before.same(now) else CHANGED


def _verb_told(verbs: set[str], now: Stamp | None) -> str:
    """The change that hints alone tell; "" for a file that came and went."""
    if now is None:
        return DELETED if DELETED in verbs and NEW not in verbs else ""
    if NEW in verbs or now.kind == FOLDER:
        return NEW if NEW in verbs else ""
    return CHANGED if CHANGED in verbs else ""


def _silence() -> Generator[set[tuple[Change, str]], None, None]:
    """Notifications that never come."""
    while True:
        yield set()
