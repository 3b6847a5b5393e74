"""What was made of entries, made once while an entry stands as it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, TypeVar

from loom_partitions.message import Entry

SPARE = 32  # entries remembered beside those of the window before any is forgotten
Made = TypeVar("Made")


class EntryMemo:
    """Things made of entries, by what they were made with."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Entry, object, dict[Hashable, Any]]] = {}
        self.made = 0  # things made, not remembered

    def of(
        self, entry: Entry, made_with: Hashable, make: Callable[[], Made], beside: object = None
    ) -> Made:
        """What `make` gives, which depends on the entry, on what is known `beside` it, and on
        `made_with` alone."""
        held = self._held.get(entry.id)
        if held is None or held[0] is not entry or held[1] != beside:
            held = self._held[entry.id] = entry, beside, {}
        if made_with not in held[2]:
            held[2][made_with] = make()
            self.made += 1
        made: Made = held[2][made_with]
        return made

    def keep(self, ids: Collection[int]) -> None:
        """Forget the entries that are none of these, when they have become many."""
        if len(self._held) > 2 * len(ids) + SPARE:
            self._held = {id: held for id, held in self._held.items() if id in ids}
