"""JSON within a budget of characters, the telling parts first.

Theory of operation. Like `loom.reduce.budget.Writer`, which writes a value's first children within
a water level, but it chooses: the members of an object by how telling their names are, the items of
a list by whether they fail, are rare or match the objective.

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

from loom.reduce.budget import MORE, JsonWriter, count, fill, level, number, quote
from loom.reduce.budget import short as short_key
from loom.reduce.budget import string as cut_string
from loom.reduce.structure.relevance import ERROR, Fields, Objective, severity
from loom.reduce.structure.values.markers import Mark, marks, numeric, range_of, rest_of
from loom.reduce.structure.values.profile import Profile, alike, blob, profile, words_of

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

Entry = tuple[str, Any]  # the written key with its colon ("" in a list), and the value


class Sketch:
    """Writes parsed JSON within a budget. `visits` counts the values weighed, written, surveyed."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.fields = Fields(objective)
        self._writer = JsonWriter(DEPTH)
        self._visits = 0

    @property
    def visits(self) -> int:
        """Values weighed, written or surveyed."""
        return self._visits + self._writer.visits

    def root(self, value: dict[str, Any] | list[Any], room: int, note: str) -> str:
        """An object or list within `room`, `note` its last member or item; at least `{}`, `[]`."""
        for last in (note, f"{MORE} more", ""):
            written = self._container(value, room, 0, last)
            if written is not None and len(written) <= room:
                return written
        return "{}" if isinstance(value, dict) else "[]"

    def value(self, value: Any, room: int, depth: int) -> str | None:
        """Any value within `room` characters, or None when not even its count fits."""
        self._visits += 1
        if isinstance(value, str):
            if len(value) + 2 > room and blob(value):
                return _fitting(quote(f"{value[:12]}{MORE} ({len(value):,} chars)"), room)
            return cut_string(value, room)
        if not isinstance(value, dict | list):
            return _fitting(number(value), room)
        if not value:
            return _fitting("{}" if isinstance(value, dict) else "[]", room)
        whole = None
        if depth < DEPTH and room > BARE:
            whole = self._container(value, room, depth, "")
        return _fitting(whole, room) or _fitting(quote(count(value)), room)

    def _container(self, value: Any, room: int, depth: int, note: str) -> str | None:
        """An object or list within `room`; None when nothing of it fits. `note` is written last."""
        if self._weigh(value, room + 1 - len(note), depth) <= room - len(note) and not note:
            return self._whole(value, depth)
        if room < TIGHT and not note:
            return None
        if (
            isinstance(value, dict)
            and len(value) <= MEMBERS
            and not alike(list(islice(value.values(), 64)))
        ):
            return self._object(value, room, depth, note)
        if isinstance(value, list) and len(value) >= NUMBERS and numeric(value):
            return range_of(value, room, note)
        pieces = self.pieces(_entries(value), room - 2, depth, note, marks(value))
        if not pieces:
            return None
        return f"{{{','.join(pieces)}}}" if isinstance(value, dict) else f"[{','.join(pieces)}]"

    def _whole(self, value: Any, depth: int) -> str:
        """A value that fits, as it is."""
        self._visits += 1
        if isinstance(value, str):
            return quote(value)
        if not isinstance(value, dict | list):
            return number(value)
        if depth >= DEPTH and value:
            return quote(count(value))
        inside = ",".join(key + self._whole(child, depth + 1) for key, child in _entries(value))
        return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"

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
        shares = self._shares(ranked, space)
        if len(shares) < len(value) and counting:
            space -= GAP
            shares = self._shares(ranked, space)
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
    ) -> list[tuple[int, Entry, int]]:
        """(place, member, weight) of the members worth weighing, the most telling first."""
        most = max(4, room // 12)
        self._visits += len(value)
        members = ((at, one) for at, one in enumerate(value.items()) if one[0] not in dull)
        places = heapq.nsmallest(most, members, key=lambda one: (-self._worth(*one[1]), one[0]))
        cap = max(64, room // max(1, min(len(value), 8)))
        ranked = []
        for place, (key, child) in places:
            weight = self._weigh(child, cap, depth + 1)
            # A member beyond the cap may be any size: it takes whatever the level leaves it.
            weight = weight if weight < cap else max(weight, room)
            if isinstance(child, str) and blob(child):
                weight = min(weight, 36)
            name = quote(short_key(key)) + ":"
            ranked.append((place, (name, child), weight + len(name) + 1))
        return ranked

    def _worth(self, key: str, value: Any) -> float:
        """Score a member by its name and its value."""
        worth = self.fields.worth(key)
        if isinstance(value, str):
            worth -= min(len(value), 120) / 60  # of two that tell as much, the shorter
            if len(value) > 120 and blob(value):
                worth -= 4
            if not value:
                worth -= 2
            if self.objective.words:
                worth += 2 * self.objective.matches(value)
        elif value is None:
            worth -= 3
        elif isinstance(value, list | dict):
            worth += (2 if isinstance(value, list) and alike(value) else -1) if value else -3
        return worth

    def _shares(self, ranked: list[tuple[int, Entry, int]], room: int) -> list[int]:
        """The room of each member that is written; the least telling are dropped."""
        weights = [weight for _, _, weight in ranked]
        floors = [
            min(weight, len(key) + 1 + (BARE if isinstance(child, dict | list) else _least(weight)))
            for _, (key, child), weight in ranked
        ]
        water, kept = level(weights, floors, room)
        return [min(weight, water) for weight in weights[:kept]]

    def pieces(
        self, entries: Sequence[Entry], room: int, depth: int, note: str, mark: Mark
    ) -> list[str]:
        """The items of a list that fit into `room`, with a marker where some are left out.

        `note` is the last piece when there is one. Empty when there is room for no item.
        """
        frame = 14 + len(mark("")) - 2 if mark is not quote else 1  # of a marker, beyond its words
        space = room - (len(quote(note)) + frame if note else 0)
        values = [value for _, value in entries]
        like = alike(values)
        self._visits += len(values)
        known = profile(values, self.fields) if like else Profile(special=self._special(entries))
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
        self, entries: Sequence[Entry], known: Profile, room: int, depth: int, like: bool
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
            if self._weigh(value, room + 1, depth) <= room:
                return self._whole(value, depth)
            return _fitting(self._object(value, room, depth, "", dull), room)
        return self.value(value, room, depth)

    def _item_share(self, entries: Sequence[Entry], room: int, depth: int) -> int:
        """The room of each item: the water level of a short list, a fixed part of a long one."""
        if len(entries) > ITEMS:
            step = len(entries) // ITEMS
            widest = max(ITEM, room // ITEMS * 2)
            some = [self._weigh(v, widest + 1, depth + 1) + len(key) for key, v in entries[::step]]
            return max(ITEM, min(widest, sum(some) // len(some)))
        cap = max(64, room)
        weights = [self._weigh(v, cap, depth + 1) + len(key) + 1 for key, v in entries]
        return max(fill(weights, room), min(WIDE, room))

    def _special(self, entries: Sequence[Entry]) -> dict[int, float]:
        """Of items that are no records, those that tell of errors or match the objective."""
        found: dict[int, float] = {}
        matches = self.objective.matches if self.objective.words else None
        for at, (key, value) in enumerate(entries):
            worth = 0.0
            if type(value) is str:
                if severity(value) == ERROR:
                    worth = 2.0
                words = value
            else:
                words = words_of(value) if matches else ""
            if matches and (count := matches(f"{key} {words}" if key else words)):
                worth += 3.0 * count
            if worth:
                found[at] = worth
        return found

    def _weigh(self, value: Any, cap: int, depth: int) -> int:
        return self._writer.weigh(value, max(1, cap), depth)


def _least(weight: int) -> int:
    """The room below which a string is left out: a short one is an identifier and stays whole."""
    return weight if weight <= NAME else NAME * 3 // 4


def _fitting(text: str | None, room: int) -> str | None:
    """`text` when there is one and it fits."""
    return text if text is not None and len(text) <= room else None


def _entries(value: Any) -> list[Entry]:
    """The children of a container with their written keys."""
    if isinstance(value, dict):
        return [(quote(short_key(key)) + ":", child) for key, child in value.items()]
    return [("", child) for child in value]
