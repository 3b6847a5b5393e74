"""JSON cut to a number of characters, and still valid."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

from loom.lazy import lazy_re
from loom.reduce.lines import plural

MORE = "…"  # the key of a marker member, the first character of a marker item
SCALAR = 32  # characters below which a cut string is not worth writing
BRANCH = 160  # characters below which a cut container is not worth writing
NAME = 60  # characters of a key
MARK = 40  # characters kept for the marker of a container that leaves children out
DEPTH = 6  # nesting shown of what does not fit whole

_encode = json.JSONEncoder(ensure_ascii=False).encode
_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_SURROGATE = lazy_re(r"[\ud800-\udfff]")


def json_string(text: str) -> str:
    """Return `text` as a JSON string, with lone surrogates escaped."""
    return _escape_surrogates(_encode(text))


def _escape_surrogates(written: str) -> str:
    r"""Return JSON text with lone surrogates replaced by `\u` escapes."""
    if written.isascii():
        return written
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def head_within(text: str, room: int) -> str:
    """Return the longest beginning of `text` of at most `room` characters as a JSON string."""
    taken = text[: max(0, room - 2)]
    if len(json_string(taken)) <= room:
        return taken
    used = 2
    for at, character in enumerate(taken):
        used += len(json_string(character)) - 2
        if used > room:
            return taken[:at]
    return taken


def compact_json(value: Any) -> str | None:
    """Return a value as JSON text without blanks; None if the value cannot be written."""
    if isinstance(value, float) and not math.isfinite(value):
        return "1e999" if value > 0 else "-1e999"  # what JSON text overflows to infinity
    try:
        return _escape_surrogates(_compact(value))
    except (ValueError, RecursionError):
        return None


def json_within(value: Any, room: int, marker: str = "", depth: int = DEPTH) -> str | None:
    """Return a value as JSON of at most `room` characters, at least its count, such as "[12
    items]"; None if the count does not fit.

    `marker` is a text added as the last item or member. `depth` is the number of nested levels to
    show of a value that does not fit whole."""
    if isinstance(value, str):
        return json_string_within(value, room)
    written = None if marker else compact_json(value)
    if written is not None and len(written) <= room:
        return written
    if not isinstance(value, dict | list):
        return None
    parts = _written_children(value, room, marker, depth) if (value or marker) and depth else None
    if parts is not None:
        return in_brackets(value, ",".join(parts))
    written = json_string(count_label(value))
    return written if len(written) <= room else None


def _written_children(value: Any, room: int, marker: str, depth: int) -> list[str] | None:
    """Return the children of an object or array as JSON texts, as many as fit in `room` characters,
    and as last text `marker` or the number of children left out. None if no child fits."""
    name = json_string(_unused_key(value)) + ":" if isinstance(value, dict) else ""
    final = name + json_string(marker) if marker else ""
    space = room - 2 - (len(final) + 1 if final else 0)
    some = list(islice(_children_with_keys(value), max(0, space // 2 + 1)))
    sizes = [len(key) + 1 + _written_size(child, depth - 1) for key, child in some]
    floors = [
        min(size, len(key) + 1 + (BRANCH if isinstance(child, dict | list) else SCALAR))
        for size, (key, child) in zip(sizes, some, strict=True)
    ]
    kept = _count_children_shown(sizes, floors, space)
    if kept < len(value) and not final:
        space -= MARK
        kept = _count_children_shown(sizes, floors, space)
    water = water_level(sizes[:kept], space) if kept > 1 else space
    parts: list[str] = []
    spare = 0
    for (key, child), size in zip(some[:kept], sizes, strict=False):
        share = min(size, water) + spare
        written = json_within(child, share - len(key) - 1, depth=depth - 1)
        if written is None:
            break
        parts.append(key + written)
        spare = share - len(parts[-1]) - 1
    if not parts and not final:
        return None
    left = (
        []
        if len(parts) == len(value)
        else [name + json_string(f"{MORE} {len(value) - len(parts)} more")]
    )
    return [*parts, *([final] if final else left)]


def _count_children_shown(sizes: list[int], floors: list[int], room: int) -> int:
    """Return how many children to write, counted from the first. `sizes` are their full sizes,
    `floors` their smallest useful sizes."""
    kept = len(sizes)
    while kept > 1 and water_level(sizes[:kept], room) < max(floors[:kept]):
        kept = kept * 9 // 10  # a fixed part at a time keeps the search linear
    return kept


def _written_size(value: Any, depth: int) -> int:
    """Return the length of a value as JSON, with counts such as "[12 items]" at `depth` 0."""
    written = (
        compact_json(value)
        if depth or not isinstance(value, dict | list)
        else json_string(count_label(value))
    )
    return len(written) if written is not None else BRANCH * BRANCH


def count_label(value: dict[str, Any] | list[Any]) -> str:
    """Return a text that replaces an object or array: `[12 items]`, `{3 keys}`."""
    return in_brackets(value, plural(len(value), "key" if isinstance(value, dict) else "item"))


def in_brackets(value: dict[str, Any] | list[Any], inside: str) -> str:
    """Return `inside` in brackets: `{…}` if `value` is an object, `[…]` if it is a list."""
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"


def _children_with_keys(value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    """Return (key, value) pairs, with the keys of an object as JSON text with a colon: '"id":'; the
    keys of a list are ""."""
    if isinstance(value, dict):
        keys = ((key if len(key) <= NAME else key[: NAME - 1] + MORE, key) for key in value)
        return ((f"{json_string(shown)}:", value[key]) for shown, key in keys)
    return (("", child) for child in value)


def _unused_key(value: Any) -> str:
    """Return a key for the marker that the object does not have, such as "…"."""
    key = MORE
    while isinstance(value, dict) and key in value:
        key += MORE
    return key


def json_string_within(text: str, room: int) -> str | None:
    """Return `text` as a JSON string of at most `room` characters. A cut text ends with its full
    length: "abc… (1,200 chars)". None if the length does not fit."""
    if len(text) + 2 <= room and len(written := json_string(text)) <= room:
        return written
    note = f"{MORE} ({len(text):,} chars)"
    if room < len(note) + 2:
        return None
    return json_string(head_within(text, room - len(note)) + note)


def water_level(sizes: list[int], room: int) -> int:
    """Return the largest number to which all `sizes` can be capped so that their sum is at most
    `room`: sizes 2, 9, 9 and room 12 → 5."""
    left = room
    ordered = sorted(sizes)
    for at, size in enumerate(ordered):
        share = left // (len(ordered) - at)
        if size > share:
            return share
        left -= size
    return max(ordered, default=0)
