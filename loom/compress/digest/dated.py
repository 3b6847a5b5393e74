"""Checks as of their last run: files that were changed since are said behind what came of it.

A check speaks of the code it ran on. The note is put on what is shown, never on the facts that are
carried on: a later run is told without it, and it is there once however often digests are folded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec.structs import replace

from loom.compress.digest.names import FactNames
from loom.compress.digest.takeback import LINES
from loom.compress.digest.unseen import note_of
from loom.lazy import lazy_re
from loom.reduce.commands import parsed
from loom.reduce.deeds import LOST
from loom.reduce.verdict import PASSES, failed, is_check
from loom_partitions.message import Fact

PASSED = "passed then"  # what stands for `passes` when the code is another now
CHANGES = ("edit", "write")
# The notes behind what came of a command: on its files, on a later run nobody saw the end of.
_NOTES = lazy_re(
    r"(?:; \d+ files? changed since)?(?:; ran since, outcome not seen(?: \(step_\d+\))?)?$"
)


def dated(facts: Iterable[Fact], known: Sequence[Fact]) -> list[Fact]:
    """The facts, each check with how many files of those `known` were changed after its last run.

    A change in the same entry as the run is not after it.
    """
    changes = [fact for fact in known if fact.kind in CHANGES and fact.came != LOST]
    files = FactNames(fact.about or fact.text for fact in changes)
    last: dict[str, int] = {}
    for fact in changes:
        name = files.name(fact.about or fact.text)
        last[name] = max(last.get(name, 0), fact.at)
    ends = sorted(last.values())
    newest = ends[-1] if ends else 0
    return [
        _dated(fact, len(ends) - bisect_right(ends, fact.at))
        if fact.kind == "ran" and fact.at < newest and checks(fact)
        else fact
        for fact in facts
    ]


def checks(fact: Fact) -> bool:
    """True for a command that checks something."""
    return _checks(fact.about)


@lru_cache(maxsize=LINES)
def _checks(line: str) -> bool:
    return is_check(parsed(line))


def parted(came: str) -> tuple[str, str]:
    """What came of a command, and the notes on what was changed or ran since ("" for none)."""
    notes = _NOTES.search(came)
    return (came[: notes.start()], notes[0]) if notes else (came, "")


@lru_cache(maxsize=LINES)
def _dated(fact: Fact, changes: int) -> Fact:
    """A check with the note that so many files were changed since."""
    came, notes = parted(fact.came)
    if came.startswith(PASSES):
        came = PASSED + came.removeprefix(PASSES)
    elif not failed(came):
        return fact
    return replace(
        fact, came=f"{came}; {changes} file{'s' * (changes != 1)} changed since{note_of(notes)}"
    )
