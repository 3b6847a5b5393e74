"""What an edit makes of the slices of a file that were read before it.

A slice that shows the lines an edit replaced would show what stands there no longer. It takes the
new lines in their place, so that the window holds the file as it is now; the page keeps what was
read. The old text may run over from one slice into the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from loom.reduce.given import parse, text_at
from loom.residency.units import NEW_KEYS, OLD_KEYS, Key, Unit
from partitions.message import Call

READ = ("read", "edit")  # kinds of units that show a file
EVERYWHERE = ("replace_all", "replaceAll")


class Change(Struct, frozen=True):
    """One replacement: in the one place, or `everywhere`."""

    old: str
    new: str
    everywhere: bool = False


def change_of(call: Call) -> Change | None:
    """What the call of an edit replaces by what; None when it does not say so in one pair."""
    members = parse(call.arguments)
    if not isinstance(members, dict):
        return None
    old, new = text_at(members, OLD_KEYS), text_at(members, NEW_KEYS)
    if not old or old == new:
        return None
    return Change(old, new, any(members.get(key) is True for key in EVERYWHERE))


def changed(units: Sequence[Unit], change: Change) -> Iterator[tuple[Key, str]]:
    """The units that an edit changes, each with its text after it."""
    shown = [unit for unit in units if unit.kind in READ and unit.where == "result"]
    for unit in shown:
        count = unit.text.count(change.old)
        if count == 1 or (count and change.everywhere):
            yield unit.key, unit.text.replace(change.old, change.new)
    for one, two in pairwise(shown):
        if one.key[:2] == two.key[:2] and one.last + 1 == two.first:
            yield from _across(one, two, change)


def _across(one: Unit, two: Unit, change: Change) -> Iterator[tuple[Key, str]]:
    """The two slices, when what was replaced began in the one and ended in the other."""
    both = one.text + two.text
    start = both.find(change.old, max(len(one.text) - len(change.old) + 1, 0))
    if not 0 <= start < len(one.text):
        return
    yield one.key, one.text[:start] + change.new
    yield two.key, both[start + len(change.old) :]
