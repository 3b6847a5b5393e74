"""Pins: entries and lines the host wants to stay, whatever leaves.

A pinned entry keeps the detail it has through cuts and renewals. A pinned line stands in C_memory,
word for word, under the key `pinned`.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

from loom.engine import Engine
from loom.engine.archive.restore import UnknownEntry, entry_of, whole
from loom.engine.atomic import Atomic
from loom.errors import OverCapacity
from loom.text import one_line
from loom_partitions import records as r
from loom_partitions.history import FOREVER
from loom_partitions.message import Detail, Digest

KEY = "pinned"
SHARE = 0.25  # of the capacity, for pinned entries together
LINE_CHARS = 2_000
BULLET = "- "


class Pins:
    """What a Context offers to keep things."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    _hold: Callable[[str, str, str, Any], None]
    _release: Callable[[str, str, Any], None]

    def pin(self, what: int | str) -> None:
        """Keep an entry (its id, or its name as `step_0007`) as it stands, or a text as a line.

        A no-op when it is pinned already. Raises UnknownEntry for an entry that has left the window
        (page it in, and pin what came), OverCapacity when pins would take too much of it.
        """
        with self._lock, self._atomic:
            entry = what if isinstance(what, int) else entry_of(what)
            if entry is None:
                self._keep([*self._lines(), self._line(what)])
            elif (entry, FOREVER) not in self._engine.window.history.pins:
                self._check(entry)
                self._engine.commit(r.Pinned(entry, FOREVER))

    def unpin(self, what: int | str) -> None:
        """Let go of a pinned entry or line; a no-op when it is not pinned."""
        with self._lock, self._atomic:
            entry = what if isinstance(what, int) else entry_of(what)
            if entry is None:
                gone = self._line(what)
                self._keep([line for line in self._lines() if line != gone])
            elif (entry, FOREVER) in self._engine.window.history.pins:
                self._engine.commit(r.Pinned(entry, 0))

    def _check(self, entry: int) -> None:
        window = self._engine.window
        kept = {id for id, until in window.history.pins if until == FOREVER} | {entry}
        standing = {
            item.id: item.tokens
            for item in window.history.stream.entries_back
            if item.id in kept and not isinstance(item, Digest) and item.detail < Detail.REDUCED
        }
        if entry not in standing:
            raise UnknownEntry(f"{entry}, in full in the window", window.history.next_id - 1)
        needed, most = sum(standing.values()), int(window.limits.capacity * SHARE)
        if needed > most:
            raise OverCapacity(
                "history",
                needed,
                window.limits.capacity,
                f"pinned entries may take {most:,} of them: unpin one, or pin a line of it",
            )

    def _line(self, text: int | str) -> str:
        # What is put on one line, or cut, may no longer be known for a secret.
        return one_line(self._engine.ingest.clean(str(text)), LINE_CHARS)

    def _lines(self) -> list[str]:
        text = self._engine.window.memory.get(KEY)
        held = whole(self._engine.workspace, text) if text is not None else ""
        return [line.removeprefix(BULLET) for line in held.splitlines()]

    def _keep(self, lines: list[str]) -> None:
        kept = dict.fromkeys(line for line in lines if line)
        if kept:
            self._hold("memory", KEY, "\n".join(BULLET + line for line in kept), r.Remembered)
        else:
            self._release("memory", KEY, r.Forgotten)
