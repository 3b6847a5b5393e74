"""JSON within a budget of characters: still valid JSON, less of it.

Theory of operation. `JsonWriter.value` turns a parsed value into at most `room` characters of JSON.
A value that fits is written whole. A string is cut and says its true length. A container shares
its room among its first children:

1. Weigh. Each child's written length is measured, but never beyond a cap, and all of the weighing
   in a container together never beyond four times its room; children not reached are left out.
2. Level. A water level is found such that the children, none taller than the level, fill the
   room. Small children are written whole and the large ones share what these leave.
3. Write. Each child is written within its share; what it does not use goes to the next.

A container below the depth limit, or with no room for a child, becomes its count as a string.
So each level of depth visits O(room) characters and the whole walk O(depth * room), however large
the value is. Nothing is ever serialised twice to see whether it fits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

from loom.lazy import lazy_re
from loom.reduce.lines import counted

MORE = "…"  # the key of a marker member, the first character of a marker item
SCALAR = 32  # characters below which a cut string is not worth writing
BRANCH = 160  # characters below which a cut container is not worth writing
NAME = 60  # characters of a key
MARK = 40  # characters kept for the marker of a container that leaves children out

_encode = json.JSONEncoder(ensure_ascii=False).encode
_SURROGATE = lazy_re(r"[\ud800-\udfff]")

Child = tuple[str, Any]  # the written key with its colon ("" in an array), and the value


def quote(text: str) -> str:
    """`text` as a JSON string that UTF-8 can hold."""
    written = _encode(text)
    if written.isascii():
        return written
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def head(text: str, room: int) -> str:
    """The longest head of `text` whose JSON string takes at most `room` characters."""
    taken = text[: max(0, room - 2)]
    if len(quote(taken)) <= room:
        return taken
    used = 2
    for at, character in enumerate(taken):
        used += len(quote(character)) - 2
        if used > room:
            return taken[:at]
    return taken


def number(value: float | bool | None) -> str:
    """A JSON literal that is neither string nor container."""
    if isinstance(value, float) and not math.isfinite(value):
        return "1e999" if value > 0 else "-1e999"  # what JSON text overflows to infinity
    return json.dumps(value)


class JsonWriter:
    """Writes parsed JSON within a budget. `visits` counts the values weighed or written."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.visits = 0

    def root(self, value: dict[str, Any] | list[Any], room: int, marker: str) -> str:
        """An object or array within `room`, with `marker` as its last member or item."""
        return self._container(value, room, 0, marker) or wrapped(value, "")

    def value(self, value: Any, room: int, depth: int) -> str | None:
        """Any value within `room` characters, or None when not even its count fits."""
        self.visits += 1
        if isinstance(value, str):
            return string(value, room)
        if isinstance(value, dict | list):
            whole = self._container(value, room, depth, "") if depth < self.depth else None
            if not value:
                whole = wrapped(value, "")
            return next(
                (text for text in (whole, quote(count(value))) if text and len(text) <= room), None
            )
        written = number(value)
        return written if len(written) <= room else None

    def _container(self, value: Any, room: int, depth: int, marker: str) -> str | None:
        """An object or array; None when no child of it fits. `marker` is always written."""
        name = quote(free(value)) + ":" if isinstance(value, dict) else ""
        final = name + quote(marker) if marker else ""
        space = room - 2 - (len(final) + 1 if final else 0)
        taken, shares = self._shares(value, space, depth)
        if len(taken) < len(value) and not final:
            space -= MARK
            taken, shares = self._shares(value, space, depth)
        parts: list[str] = []
        spare = 0
        for (key, child), share in zip(taken, shares, strict=True):
            written = self.value(child, share + spare - len(key) - 1, depth + 1)
            if written is None:
                break
            parts.append(key + written)
            spare += share - len(parts[-1]) - 1
        left = len(value) - len(parts)
        if not parts and value and not final:
            return None
        if left and not final:
            parts.append(name + quote(f"{MORE} {left} more"))
        if final:
            parts.append(final)
        return wrapped(value, ",".join(parts))

    def _shares(self, value: Any, room: int, depth: int) -> tuple[list[Child], list[int]]:
        """The children to write, and the room of each, key and comma included."""
        cap = max(64, room // max(1, min(len(value), 16)))
        taken: list[Child] = []
        weights: list[int] = []
        floors: list[int] = []
        spent = 0
        for child in islice(children(value), max(0, room // 2 + 1)):
            if spent > 4 * room:
                break
            frame = len(child[0]) + 1
            weight = self.weigh(child[1], cap, depth + 1)
            spent += weight + frame
            taken.append(child)
            # A child beyond the cap may be any size: it takes whatever the level leaves it.
            weight = weight if weight < cap else max(weight, room)
            floors.append(min(weight, _floor(child[1])) + frame)
            weights.append(weight + frame)
        water, kept = level(weights, floors, room)
        return taken[:kept], [min(weight, water) for weight in weights[:kept]]

    def weigh(self, value: Any, cap: int, depth: int) -> int:
        """The written length of `value`, or `cap` when it is that long or longer."""
        self.visits += 1
        cap = max(1, cap)
        if isinstance(value, str):
            return min(cap, len(quote(value))) if len(value) < cap else cap
        if not isinstance(value, dict | list):
            return min(cap, len(number(value)))
        if depth >= self.depth:
            return min(cap, 14 + len(str(len(value))))
        total = 2
        for key, child in children(value):
            total += len(key) + 1
            if total >= cap:
                return cap
            total += self.weigh(child, cap - total, depth + 1)
        return min(cap, total)


def count(value: dict[str, Any] | list[Any]) -> str:
    """The count that stands for a container that is not shown: `[12 items]`, `{3 keys}`."""
    return wrapped(value, counted(len(value), "key" if isinstance(value, dict) else "item"))


def _floor(value: Any) -> int:
    """The room below which a child is left out rather than cut."""
    return BRANCH if isinstance(value, dict | list) else SCALAR


def wrapped(value: dict[str, Any] | list[Any], inside: str) -> str:
    """The text of a container's children, in its brackets."""
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"


def children(value: dict[str, Any] | list[Any]) -> Iterator[Child]:
    """The children of a container with their written keys."""
    if isinstance(value, dict):
        return ((quote(short(key)) + ":", child) for key, child in value.items())
    return (("", child) for child in value)


def short(key: str) -> str:
    """A key of at most `NAME` characters."""
    return key if len(key) <= NAME else key[: NAME - 1] + MORE


def free(value: Any) -> str:
    """A marker key that the object does not use itself."""
    key = MORE
    while isinstance(value, dict) and key in value:
        key += MORE
    return key


def string(text: str, room: int) -> str | None:
    """A JSON string of at most `room` characters; a cut one says its true length."""
    if len(text) + 2 <= room:
        written = quote(text)
        if len(written) <= room:
            return written
    note = f"{MORE} ({len(text):,} chars)"
    if room < len(note) + 2:
        return None
    return quote(head(text, room - len(note)) + note)


def level(weights: list[int], floors: list[int], room: int) -> tuple[int, int]:
    """The water level that fills `room`, and how many children are written at it.

    Children are dropped from the end until every one left has the room its floor asks for, but
    the first is kept whatever it asks.
    """
    kept = len(weights)
    while kept > 1:
        water = fill(weights[:kept], room)
        if water >= max(floors[:kept]):
            return water, kept
        # Dropping a fixed part at a time keeps the search linear in the number of children.
        kept = kept * 9 // 10
    return room, kept


def fill(weights: list[int], room: int) -> int:
    """The largest level at which the weights, none counted above it, sum to at most `room`."""
    if sum(weights) <= room:
        return max(weights, default=0)
    left = room
    ordered = sorted(weights)
    for at, weight in enumerate(ordered):
        share = left // (len(ordered) - at)
        if weight > share:
            return share
        left -= weight
    return max(ordered, default=0)
