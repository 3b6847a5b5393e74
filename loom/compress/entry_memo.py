"""Values computed from entries, computed once while an entry stands unchanged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, TypeVar

from loom_partitions.message import Entry

SPARE = 32  # entries remembered beside those of the window before any is forgotten
Made = TypeVar("Made")


class EntryMemo:
    """A memo of values computed from entries. `made` is the number of values computed so far."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Entry, object, dict[Hashable, Any]]] = {}
        self.made = 0  # things made, not remembered

    def of(
        self, entry: Entry, made_with: Hashable, make: Callable[[], Made], beside: object = None
    ) -> Made:
        """Return the remembered value for `entry` and `made_with`, or call `make()` and remember
        its value. A `beside` unequal to that of the last call for this entry drops the entry's
        values first."""
        held = self._held.get(entry.id)
        if held is None or held[0] is not entry or held[1] != beside:
            held = self._held[entry.id] = entry, beside, {}
        if made_with not in held[2]:
            held[2][made_with] = make()
            self.made += 1
        made: Made = held[2][made_with]
        return made

    def keep(self, ids: Collection[int]) -> None:
        """Forget the entries whose ids are not in `ids`, if the memo is much larger than `ids`."""
        if len(self._held) > 2 * len(ids) + SPARE:
            self._held = {id: held for id, held in self._held.items() if id in ids}
