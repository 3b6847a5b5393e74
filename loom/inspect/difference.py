"""How two windows of one session differ: which items entered, left or are shown in another way.

Windows in, data out: nothing is read or written. The windows may be of any two requests of a
session, in any order, with cuts, renewals and undoing between them. Items with a name (entries,
texts of the head, tools) may change. A notice has no name, so one with another text counts as
another notice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from loom.inspect.contents import PARTS, PlacedItem, WindowItem, window_items
from loom_partitions.message import Digest, Notice, Step, Text, UserTurn
from loom_partitions.window import Window
from loom_partitions.working import Working

How = Literal["entered", "left", "changed"]


class ItemChange(Struct, frozen=True):
    """A change of an item between two windows. `how` is "entered" (`before` is None), "left"
    (`after` is None) or "changed"."""

    how: How
    before: WindowItem | None
    after: WindowItem | None

    @property
    def name(self) -> str:
        """The name of the item."""
        item = self.before or self.after
        return item.name if item else ""


class PartitionDifference(Struct, frozen=True):
    """The changes of one partition. `before` and `after` are its tokens in the two windows. `same`
    is the number of items that did not change."""

    name: str
    before: int
    after: int
    same: int
    changes: tuple[ItemChange, ...]


class SurfaceChange(Struct, frozen=True):
    """A change of one item on a surface of C_working. `before` and `after` are the item's text in
    the two windows, "" where the item is missing."""

    how: How
    surface: str
    id: str
    before: str
    after: str


class WindowDifference(Struct, frozen=True):
    """All differences between two windows, by partition and on the surfaces of C_working."""

    partitions: tuple[PartitionDifference, ...]
    surfaces: tuple[SurfaceChange, ...]

    @property
    def empty(self) -> bool:
        """True when the windows do not differ."""
        return not self.surfaces and not any(part.changes for part in self.partitions)


def window_difference(before: Window, after: Window) -> WindowDifference:
    """Return the differences between the window `before` and the window `after`."""
    one, two = _items_by_key(before), _items_by_key(after)
    parts = tuple(_partition_difference(name, one[name], two[name]) for name in PARTS)
    surfaces: list[SurfaceChange] = []
    for surface, told in SURFACES.items():
        old, new = told(before.working), told(after.working)
        for id in dict.fromkeys([*old, *new]):
            was, now = old.get(id), new.get(id)
            if was != now:
                surfaces.append(
                    SurfaceChange(_change_kind(was, now), surface, id, was or "", now or "")
                )
    return WindowDifference(parts, tuple(surfaces))


Keyed = dict[tuple[str, int], PlacedItem]


def _items_by_key(window: Window) -> dict[str, Keyed]:
    """Return the items of a window: partition → key → item. A key is (name, number), where the
    number tells items of the same name apart."""
    found: dict[str, Keyed] = {name: {} for name in PARTS}
    seen: Counter[tuple[str, str]] = Counter()
    for placed in window_items(window):
        of = placed.of
        key = placed.partition, of.text if isinstance(of, Notice) else placed.item.name
        found[placed.partition][key[1], seen[key]] = placed
        seen[key] += 1
    return found


def _partition_difference(name: str, before: Keyed, after: Keyed) -> PartitionDifference:
    """Return how the partition `name` differs, from its items by key in two windows."""
    changes: list[ItemChange] = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if (old and _visible_state(old)) != (new and _visible_state(new)):
            changes.append(ItemChange(_change_kind(old, new), old and old.item, new and new.item))
    changed = sum(change.how == "changed" for change in changes)
    same = len(before.keys() & after.keys()) - changed
    was, now = (sum(placed.item.tokens for placed in held.values()) for held in (before, after))
    return PartitionDifference(name, was, now, same, tuple(changes))


def _change_kind(before: object, after: object) -> How:
    """Return "entered" if `before` is None, "left" if `after` is None, else "changed"."""
    return "entered" if before is None else "left" if after is None else "changed"


def _visible_state(placed: PlacedItem) -> object:
    """Return a value that is equal for two items exactly if a request shows both alike."""
    of = placed.of
    if isinstance(of, Digest):
        of = replace(of, facts=(), told=False)
    elif isinstance(of, UserTurn | Step):
        of = replace(of, facts=())
    return placed.item, of


def _single_item(id: str, text: Text | str | None) -> dict[str, str]:
    """Return the one item of a surface as {id: text}, or {} without a text."""
    if isinstance(text, Text):
        text = text.page if text.body is None else text.body
    return {id: text} if text else {}


def _plan_items(working: Working) -> dict[str, str]:
    """Return the items of the plan: text → state. A repeat gets a number: `run tests (2)`."""
    seen: Counter[str] = Counter()
    found: dict[str, str] = {}
    for item in working.plan:
        seen[item.text] += 1
        again = f" ({seen[item.text]})" if seen[item.text] > 1 else ""
        found[item.text + again] = item.state
    return found


# Surface → its items: id and text.
SURFACES: dict[str, Callable[[Working], dict[str, str]]] = {
    "goal": lambda working: _single_item("goal", working.goal),
    "progress": lambda working: _single_item("progress", working.progress),
    "plan": _plan_items,
    "events": lambda working: {
        id: f"{urgency}: {event.summary}"
        for event in working.events
        for id, urgency in event.urgencies_by_id.items()
    },
    "risks": lambda working: {
        risk.id: f"{risk.disposition} ({risk.urgency}): {risk.summary}" for risk in working.risks
    },
    "decisions": lambda working: {one.id: one.disposition for one in working.decisions},
    "questions": lambda working: dict(working.questions),
    "evidence": lambda working: {
        one.id: f"{one.summary} ({one.confidence:.2f})" for one in working.evidence
    },
    "scratchpad": lambda working: _single_item("scratchpad", working.scratchpad),
    "children": lambda working: {
        one.name: f"{one.status or one.left or 'at work'}: {one.goal}" for one in working.children
    },
    "outcome": lambda working: _single_item("outcome", working.outcome),
}
