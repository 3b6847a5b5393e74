"""Checks as of their last run: files that were changed since are said behind what came of it, and
a failure is over when the same program passed on everything later.

A check speaks of the code it ran on. The note is put on what is shown, never on the facts that are
carried on: a later run is told without it, and it is there once however often digests are folded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec.structs import replace

from loom.compress.digest.keys import LINES
from loom.compress.digest.names import FactNames
from loom.compress.digest.unseen import FAILED_BEFORE, base_of, note_of
from loom.lazy import lazy_re
from loom.reduce.commands import LEFT_OUT, SELECT, is_checking, parsed
from loom.reduce.deeds import LOST
from loom.reduce.verdict import PASSES, failed, is_check
from loom_partitions.message import Fact

PASSED = "passed then"  # what stands for `passes` when the code is another now
CHANGES = ("edit", "write")
WHOLE = {".", "./", "./...", "..."}  # targets that are all there is
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


def closed(facts: Iterable[Fact], runs: Iterable[Fact]) -> list[Fact]:
    """The facts, failed checks told as passed where one of the `runs` passed on everything later,
    and their errors gone."""
    passed: dict[tuple[str, tuple[str, ...]], Fact] = {}
    for run in runs:
        if base_of(run.came) == PASSES:
            passed |= {(place, words): run for place, words, whole in _programs(run.about) if whole}
    kept = []
    for fact in facts:
        if passed and (fact.kind == "error" or (fact.kind == "ran" and failed(fact.came))):
            over = [passed.get((place, words)) for place, words, _ in _programs(fact.about)]
            later = [run for run in over if run is not None and run.at > fact.at]
            if over and len(later) == len(over):
                last = max(later, key=lambda run: run.at)
                came = f"{PASSES} in `{last.text}`{FAILED_BEFORE}"
                kept += [replace(fact, came=came, at=last.at)] if fact.kind == "ran" else []
                continue
        kept.append(fact)
    return kept


@lru_cache(maxsize=LINES)
def _programs(line: str) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """(folder, words, whether it works on everything) of each program of a line that checks."""
    command = parsed(line)
    return tuple(
        (
            one.folder or command.folder,
            one.words,
            {*one.targets} <= WHOLE
            and not any(option.partition("=")[0] in SELECT | LEFT_OUT for option in one.options),
        )
        for one in command.programs
        if is_checking(one)
    )


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
