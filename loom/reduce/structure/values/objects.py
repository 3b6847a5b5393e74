"""JSON within a budget of characters, the telling parts first.

Theory of operation. Like `loom.reduce.budget.JsonWriter`, which writes the first children of a
value within a water level, but it chooses: the members of an object by how telling their names are,
the items of a list by whether they fail, are rare or match the objective.

*Objects.* Members are ranked, the best are weighed (never beyond a cap each), the level is found
among them, and they are written from the lightest to the heaviest, so that what a light one leaves
goes to a heavy one. They stand in their old order, and a last member counts what is left out.

*Lists.* Each item gets about a 24th of the room, so that some two dozen like records are seen with
their telling fields rather than three of them whole. Where items are left out between two others a
string counts them, and the last string tells what the whole list adds up to.

*Blobs* become their length, lists of numbers their first, their count and range. Each container
visits what it is given the room for, and a list of records each of its members twice.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence, Set
from itertools import islice
from typing import Any

from loom.reduce.budget import (
    MORE,
    Child,
    JsonWriter,
    children,
    count,
    fill,
    level,
    number,
    quote,
    wrapped,
)
from loom.reduce.budget import short as short_key
from loom.reduce.structure.relevance import Fields, Objective
from loom.reduce.structure.values.markers import Mark, marks, numeric, range_of, rest_of
from loom.reduce.structure.values.profile import (
    Profile,
    alike,
    blob,
    member_worth,
    profile,
    special_items,
)

DEPTH = 12  # nesting shown
ITEMS = 24  # items of a long list that share its room
WIDE = 160  # characters of an item of a short list, at least
ITEM = 96  # characters of an item of a long list, at least
GAP = 22  # characters kept for the string that stands for items left out
TIGHT = 40  # characters below which a container is only counted
NAME = 72  # characters of a member that is not cut
BARE = 14  # characters of a counted container
MEMBERS = 500  # members of an object that are judged by name; one of more is a list by keys
NUMBERS = 12  # numbers in a list that is told by its range


class Sketch(JsonWriter):
    """Writes parsed JSON within a budget. `visits` counts the values weighed, written, surveyed."""

    def __init__(self, objective: Objective) -> None:
        super().__init__(DEPTH)
        self.objective = objective
        self.fields = Fields(objective)

    def root(self, value: dict[str, Any] | list[Any], room: int, note: str) -> str:
        """An object or list within `room`, `note` its last member or item; at least `{}`, `[]`."""
        for last in (note, f"{MORE} more", ""):
            written = self._container(value, room, 0, last)
            if written is not None and len(written) <= room:
                return written
        return wrapped(value, "")

    def value(self, value: Any, room: int, depth: int) -> str | None:
        """Any value within `room` characters, or None when not even its count fits."""
        if isinstance(value, str) and len(value) + 2 > room and blob(value):
            self.visits += 1
            return _fitting(quote(f"{value[:12]}{MORE} ({len(value):,} chars)"), room)
        return super().value(value, room, depth)

    def _container(self, value: Any, room: int, depth: int, note: str) -> str | None:
        """An object or list within `room`; None when nothing of it fits. `note` is written last."""
        if depth and room <= BARE:
            return None
        if not note and self.weigh(value, room + 1, depth) <= room:
            return self._whole(value, depth)
        if not note and room < TIGHT:
            return None
        if (
            isinstance(value, dict)
            and len(value) <= MEMBERS
            and not alike(list(islice(value.values(), 64)))
        ):
            return self._object(value, room, depth, note)
        if isinstance(value, list) and len(value) >= NUMBERS and numeric(value):
            return range_of(value, room, note)
        pieces = self.pieces(list(children(value)), room - 2, depth, note, marks(value))
        return wrapped(value, ",".join(pieces)) if pieces else None

    def _whole(self, value: Any, depth: int) -> str:
        """A value that fits, as it is."""
        self.visits += 1
        if isinstance(value, str):
            return quote(value)
        if not isinstance(value, dict | list):
            return number(value)
        if depth >= DEPTH and value:
            return quote(count(value))
        inside = (key + self._whole(child, depth + 1) for key, child in children(value))
        return wrapped(value, ",".join(inside))

    def _object(
        self, value: dict[str, Any], room: int, depth: int, note: str, dull: Set[str] | None = None
    ) -> str | None:
        """The members that tell most, in their order, and how many are left out.

        `dull` are fields that tell nothing; given for a record, which does not count what it lacks.
        """
        mark = marks(value)
        counting = dull is None
        space = room - 2 - (len(mark(note)) + 1 if note else 0)
        ranked = self._ranked(value, space, depth, dull or frozenset())
        shares = self._member_shares(ranked, space)
        if len(shares) < len(value) and counting:
            space -= GAP
            shares = self._member_shares(ranked, space)
        written: dict[int, str] = {}
        spare = 0
        for at in sorted(range(len(shares)), key=lambda at: ranked[at][2]):
            place, (key, child), _ = ranked[at]
            text = self.value(child, shares[at] + spare - len(key) - 1, depth + 1)
            spare += shares[at]
            if text is not None:
                written[place] = key + text
                spare -= len(written[place]) + 1
        if not written and not note:
            return None
        mark = marks(value)
        parts = [written[place] for place in sorted(written)]
        if len(parts) < len(value) and counting:
            parts.append(mark(f"{MORE} {len(value) - len(parts):,} more"))
        if note:
            parts.append(mark(note))
        return f"{{{','.join(parts)}}}"

    def _ranked(
        self, value: dict[str, Any], room: int, depth: int, dull: Set[str]
    ) -> list[tuple[int, Child, int]]:
        """(place, member, weight) of the members worth weighing, the most telling first."""
        most = max(4, room // 12)
        self.visits += len(value)
        members = ((at, one) for at, one in enumerate(value.items()) if one[0] not in dull)
        places = heapq.nsmallest(
            most, members, key=lambda one: (-member_worth(self.fields, *one[1]), one[0])
        )
        cap = max(64, room // max(1, min(len(value), 8)))
        ranked = []
        for place, (key, child) in places:
            weight = self.weigh(child, cap, depth + 1)
            # A member beyond the cap may be any size: it takes whatever the level leaves it.
            weight = weight if weight < cap else max(weight, room)
            if isinstance(child, str) and blob(child):
                weight = min(weight, 36)
            name = quote(short_key(key)) + ":"
            ranked.append((place, (name, child), weight + len(name) + 1))
        return ranked

    def _member_shares(self, ranked: list[tuple[int, Child, int]], room: int) -> list[int]:
        """The room of each member that is written; the least telling are dropped."""
        weights = [weight for _, _, weight in ranked]
        floors = [
            min(weight, len(key) + 1 + (BARE if isinstance(child, dict | list) else _least(weight)))
            for _, (key, child), weight in ranked
        ]
        water, kept = level(weights, floors, room)
        return [min(weight, water) for weight in weights[:kept]]

    def pieces(
        self, entries: Sequence[Child], room: int, depth: int, note: str, mark: Mark
    ) -> list[str]:
        """The items of a list that fit into `room`, with a marker where some are left out.

        `note` is the last piece when there is one. Empty when there is room for no item.
        """
        frame = 14 + len(mark("")) - 2 if mark is not quote else 1  # of a marker, beyond its words
        space = room - (len(quote(note)) + frame if note else 0)
        values = [value for _, value in entries]
        like = alike(values)
        self.visits += len(values)
        if like:
            known = profile(values, self.fields)
        else:
            known = Profile(special=special_items(entries, self.objective))
        total = len(f"{MORE} {len(entries):,} more of {len(entries):,}") + 2 + frame
        chosen = self._chosen(entries, known, space - total, depth, like)
        if not chosen and not note:
            return []
        parts = []
        last = -1
        for place in sorted(chosen):
            if place > last + 1:
                parts.append(mark(f"{MORE} {place - last - 1:,} more"))
            parts.append(chosen[place])
            last = place
        if len(chosen) < len(entries):
            used = sum(map(len, parts)) + len(parts) + frame
            parts.append(mark(rest_of(known, chosen, len(entries), last, space - used)))
        return [*parts, mark(note)] if note else parts

    def _chosen(
        self, entries: Sequence[Child], known: Profile, room: int, depth: int, like: bool
    ) -> dict[int, str]:
        """The items written, by their places: those that stand out, then the first ones."""
        share = self._item_share(entries, room, depth)
        dull = known.constant if like else None
        special = sorted(known.special, key=lambda at: (-known.special[at], at))
        reserve = min(room // 4, sum(map(len, known.summary)) + 80) if known.fields else 0
        reserve = reserve if share * len(entries) > room else 0
        chosen: dict[int, str] = {}
        left = room
        limits = [(0, 0), *((at, room // 3 + reserve) for at in special[: room // TIGHT])]
        for place in range(1, len(entries)):
            limits.append((place, reserve + GAP))
            if len(limits) > room:
                break
        closed = -1
        for place, keep in limits:
            if place in chosen or keep == closed:
                continue
            gap = GAP if keep > reserve + GAP else 0
            key, value = entries[place]
            own = min(share, left - keep - gap - 1)
            tight = chosen and 2 * own < share
            text = None if tight else self._item(value, own - len(key), depth + 1, dull)
            if text is None:
                closed = keep  # one that does not fit ends its kind, so that gaps are few
                continue
            chosen[place] = key + text
            left -= len(key) + len(text) + 1 + gap
        return chosen

    def _item(self, value: Any, room: int, depth: int, dull: Set[str] | None) -> str | None:
        """One item; a record does not count the fields left out, because its list names them."""
        if dull is not None and isinstance(value, dict) and room > TIGHT and depth < DEPTH:
            if self.weigh(value, room + 1, depth) <= room:
                return self._whole(value, depth)
            return _fitting(self._object(value, room, depth, "", dull), room)
        return self.value(value, room, depth)

    def _item_share(self, entries: Sequence[Child], room: int, depth: int) -> int:
        """The room of each item: the water level of a short list, a fixed part of a long one."""
        if len(entries) > ITEMS:
            step = len(entries) // ITEMS
            widest = max(ITEM, room // ITEMS * 2)
            some = [self.weigh(v, widest + 1, depth + 1) + len(key) for key, v in entries[::step]]
            return max(ITEM, min(widest, sum(some) // len(some)))
        cap = max(64, room)
        weights = [self.weigh(v, cap, depth + 1) + len(key) + 1 for key, v in entries]
        return max(fill(weights, room), min(WIDE, room))


def _least(weight: int) -> int:
    """The room below which a string is left out: a short one is an identifier and stays whole."""
    return weight if weight <= NAME else NAME * 3 // 4


def _fitting(text: str | None, room: int) -> str | None:
    """`text` when there is one and it fits."""
    return text if text is not None and len(text) <= room else None
