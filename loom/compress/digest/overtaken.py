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
from loom.reduce.commands import covers, parsed
from loom.reduce.deeds import DELETED, REVERTED
from loom.reduce.verdict import failed
from loom_partitions.message import Digest, Entry, Fact


def overtaken(entries: Iterable[Entry]) -> frozenset[int]:
    """The ids of the entries that something later overtook."""
    facts = collected(entry for entry in entries if not isinstance(entry, Digest))
    gone = set(_runs([fact for fact in facts if fact.kind == "ran"]))
    gone |= set(_edits([fact for fact in facts if fact.kind in ("edit", "write")]))
    gone |= {fact.at for fact in facts if fact.kind == "task"}
    gone |= {facts[at].at for at in taken_back(facts) if facts[at].kind == "decision"}
    gone |= set(_errors(facts))
    return frozenset(gone)


def _runs(runs: list[Fact]) -> Iterator[int]:
    last = {fact.about: fact.at for fact in runs}
    passed = [(parsed(fact.about), fact.at) for fact in runs if not failed(fact.came)]
    for fact in runs:
        if last[fact.about] > fact.at:
            yield fact.at
        elif failed(fact.came):
            mine = parsed(fact.about)
            if any(at > fact.at and covers(wide, mine) for wide, at in passed):
                yield fact.at


def _edits(edits: list[Fact]) -> Iterator[int]:
    files = FileNames()
    by_file: dict[str, list[Fact]] = {}
    for fact in edits:
        by_file.setdefault(files.name(fact.about), []).append(fact)
    for mine in by_file.values():
        for end in range(len(mine), 1, -1):
            if brought_together(mine[:end])[-1].came in (REVERTED, DELETED):
                yield from (fact.at for fact in mine[:end])
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
