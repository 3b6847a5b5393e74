"""Entries that may not stand behind a digest: it says what holds now, and they say otherwise.

A run that was made again, an edit that was taken back, an item of a task list that has moved on, a
decision that was turned away from: older than what overtook them, they would be read after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.compress.digest.collect import collected
from loom.compress.digest.state import brought_together
from loom.compress.digest.takeback import taken_back
from loom.compress.worth.file_names import FileNames
from loom.reduce.commands import Command, parsed
from loom.reduce.covering import covers, targets_in
from loom.reduce.deeds import EVERY, GONE
from loom.reduce.verdict import DONE, PASSES, failed
from loom_partitions.message import Digest, Entry, Fact


def overtaken(entries: Iterable[Entry]) -> frozenset[int]:
    """The ids of the entries that something later overtook."""
    facts = collected(entry for entry in entries if not isinstance(entry, Digest))
    gone = set(_runs([fact for fact in facts if fact.kind in ("ran", "error")]))
    changes = ("edit", "write", "undo", "commit")
    gone |= set(_edits([fact for fact in facts if fact.kind in changes]))
    gone |= {fact.at for fact in facts if fact.kind == "task"}
    gone |= {facts[at].at for at in taken_back(facts) if facts[at].kind == "decision"}
    gone |= set(_errors(facts))
    return frozenset(gone)


def _runs(facts: list[Fact]) -> Iterator[int]:
    """Runs made again later, and failures of which a wider or a narrower success says more."""
    runs = [fact for fact in facts if fact.kind == "ran"]
    last = {fact.about: fact.at for fact in runs}
    passed = [(parsed(fact.about), fact.at) for fact in runs if fact.came in (PASSES, DONE)]
    for fact in facts:
        if last.get(fact.about, 0) > fact.at:
            yield fact.at
        elif fact.about in last and (fact.kind == "error" or failed(fact.came)):
            mine = parsed(fact.about)
            later = [command for command, at in passed if at > fact.at]
            if any(covers(one, mine) or _speaks(mine, one, fact) for one in later):
                yield fact.at


def _speaks(wide: Command, narrow: Command, error: Fact) -> bool:
    """True when the success of a narrower command is about an error of a wider one."""
    return error.kind == "error" and covers(wide, narrow) and targets_in(narrow, error.text)


def _edits(changes: list[Fact]) -> Iterator[int]:
    """Changes that were taken back later, or whose file was removed."""
    if not any(fact.kind == "undo" for fact in changes) and len(changes) < 2:
        return
    files = FileNames()
    by_file: dict[str, list[Fact]] = {}
    for fact in changes:
        if fact.kind in ("edit", "write"):
            by_file.setdefault(files.name(fact.about), []).append(fact)
    for name, mine in by_file.items():
        ours = [f for f in changes if f in mine or f.kind == "commit" or f.about == EVERY
                or (f.about and f"{name}/".startswith(f"{files.name(f.about)}/"))]  # fmt: skip
        for end in range(len(ours), 1, -1):
            held = [f for f in brought_together(ours[:end]) if f.kind in ("edit", "write")]
            if held and all(fact.came in GONE for fact in held):
                yield from (fact.at for fact in ours[:end] if fact in mine)
                break


def _errors(facts: list[Fact]) -> Iterator[int]:
    """Failed calls whose like succeeded, or failed again, later."""
    last: dict[str, int] = {}
    for fact in facts:
        if fact.kind in ("read", "edit", "write"):
            last[f"{fact.kind} {fact.about}"] = fact.at
        elif fact.kind in ("call", "error"):
            last[fact.about] = fact.at
    yield from (f.at for f in facts if f.kind == "error" and last[f.about] > f.at)
