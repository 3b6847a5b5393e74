"""Markers in a reduced list or object: how many are left out, and a summary of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loom.reduce.budget import MORE, free, number, quote
from loom.reduce.lines import counted
from loom.reduce.structure.values.profile import Profile
from loom.text import one_line

Mark = Callable[[str], str]  # a note as a marker of its container


def marks(value: Any) -> Mark:
    """Writes the markers of a container; in an object each has a name that is not used yet."""
    if not isinstance(value, dict):
        return quote
    name = free(value)
    used = 0

    def mark(note: str) -> str:
        nonlocal used
        used += 1
        while used > 1 and f"{name} {used}" in value:
            used += 1
        return f"{quote(name if used == 1 else f'{name} {used}')}:{quote(note)}"

    return mark


def numeric(values: list[Any]) -> bool:
    """True when a list holds nothing but numbers."""
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def range_of(values: list[Any], room: int, note: str) -> str | None:
    """The first numbers of a list, the count of the others, and the range of all."""
    told = f"{MORE} {len(values):,} numbers from {number(min(values))} to {number(max(values))}"
    closing = quote(told) + (f",{quote(note)}" if note else "")
    shown: list[str] = []
    used = len(closing) + 2
    for value in values:
        used += len(number(value)) + 1
        if used > room:
            break
        shown.append(number(value))
    return f"[{','.join([*shown, closing])}]" if len(closing) + 2 <= room else None


def rest_of(known: Profile, chosen: dict[int, str], total: int, last: int, room: int) -> str:
    """The last string of a reduced list: how many items follow, and a summary of all of them."""
    after = total - last - 1
    told = f"{MORE} {after:,} more of {total:,}" if after else f"{MORE} of {total:,}"
    for fact in known.summary:
        if len(quote(told)) + len(quote(fact)) > room:
            break
        told += f"; {fact}"
    absent = [
        key for key in known.fields if not any(quote(key) + ":" in one for one in chosen.values())
    ]
    if absent and known.fields:
        names = f"; fields left out: {', '.join(one_line(key, 40) for key in absent[:12])}"
        more = f" and {counted(len(absent) - 12, 'more')[:-1]}" if len(absent) > 12 else ""
        if len(quote(told)) + len(quote(names + more)) <= room:
            told += names + more
    return told
