"""Commands that ran again: what an earlier run printed may not come back as if it were the newest.

It may stay where it stands, in its order. Of a check all runs ask the same, whatever filter stands
behind it.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.compress.worth.units import Key, Unit
from loom.reduce.commands import parsed
from loom.reduce.refused import refusal
from loom.reduce.verdict import is_check
from loom_partitions.message import Outcome


class Reruns:
    """The outputs of commands; `earlier` are the units of those that ran again since.

    The last outputs of the newest `most` commands are remembered.
    """

    def __init__(self, most: int) -> None:
        self.earlier: set[Key] = set()
        self._most = most
        self._last: dict[str, list[Key]] = {}

    def note(self, command: str, outcome: Outcome, mine: Iterable[Unit]) -> None:
        """Take in a run of a command with its units; one that never ran is none."""
        turned_down = outcome.error and refusal(outcome.text.body or "", True) is not None
        if turned_down or outcome.stand_in:
            return
        line = parsed(command)
        name = line.key if is_check(line) else command
        self.earlier.update(self._last.pop(name, ()))
        self._last[name] = [unit.key for unit in mine]
        if len(self._last) > self._most:
            del self._last[next(iter(self._last))]

    def forget(self, key: Key) -> None:
        """Drop a unit."""
        self.earlier.discard(key)
