"""Slices of a file brought up to date with edits made after they were read.

A slice that shows the lines an edit replaced would show what stands there no longer. It takes the
new lines in their place, so that the window holds the file as it is now; the page keeps what was
read. The old text may run over from one slice into the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom.compress.worth.units import NEW_KEYS, OLD_KEYS, Key, Unit, path_of, tool_of
from loom.reduce.aliases import EDIT
from loom.reduce.arguments import object_of, text_at
from loom_partitions.message import Call, Step

READ = ("read", "edit")  # kinds of units that show a file
EVERYWHERE = ("replace_all", "replaceAll")


class Change(Struct, frozen=True):
    """One replacement: in the one place, or `everywhere`."""

    old: str
    new: str
    everywhere: bool = False


def change_of(call: Call) -> Change | None:
    """The replacement an edit's call asks for; None when it is not one pair of strings."""
    members = object_of(call.arguments)
    old, new = text_at(members, OLD_KEYS), text_at(members, NEW_KEYS)
    if not old or old == new:
        return None
    return Change(old, new, any(members.get(key) is True for key in EVERYWHERE))


def changes(step: Step) -> Iterator[tuple[str, Change]]:
    """The files that the edits of a step changed, and how; what failed changed nothing."""
    failed = {outcome.call_id for outcome in step.outcomes if outcome.error}
    for call in step.calls:
        if tool_of(call) == EDIT and call.id not in failed:
            path, change = path_of(call), change_of(call)
            if path and change is not None:
                yield path, change


def changed(units: Sequence[Unit], change: Change) -> Iterator[tuple[Key, str]]:
    """The units that an edit changes, each with its text after it.

    What stands in more than one place of a reading is not guessed at.
    """
    shown = [unit for unit in units if unit.kind in READ and unit.where == "result"]
    for run in _runs(shown):
        texts = [unit.text for unit in run]
        count = "".join(texts).count(change.old)
        if count != 1 and not (count and change.everywhere):
            continue
        for unit, text in zip(run, _replaced(texts, change), strict=True):
            if text != unit.text:
                yield unit.key, text


def _runs(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Units whose lines follow one another in one reading."""
    run: list[Unit] = []
    for unit in units:
        if run and not (run[-1].key[:2] == unit.key[:2] and run[-1].last + 1 == unit.first):
            yield run
            run = []
        run.append(unit)
    if run:
        yield run


def _replaced(texts: Sequence[str], change: Change) -> list[str]:
    """Texts that follow one another, changed; what is new goes where the old text began."""
    whole = "".join(texts)
    made = []
    start = after = 0  # of the text, and behind what was replaced last
    found = -1  # the old text, from there on; looked for once, however many texts are before it
    for text in texts:
        end = start + len(text)
        parts = []
        at = max(start, after)
        while at < end:
            if found < at:
                found = whole.find(change.old, at)
                found = len(whole) if found < 0 else found
            if found >= end:
                parts.append(whole[at:end])
                break
            parts += [whole[at:found], change.new]
            at = after = found + len(change.old)
        made.append("".join(parts))
        start = end
    return made
