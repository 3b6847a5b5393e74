"""Entries that may not stand behind a digest: it says what holds now, and they say otherwise.

A run that was made again, an edit that was taken back, an item of a task list that has moved on, a
decision that was turned away from: older than what overtook them, they would be read after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.compress.digest.collect import collected
from loom.compress.digest.keys import Key
from loom.compress.digest.names import FactNames
from loom.compress.digest.state import fold, paths_in
from loom.compress.digest.takeback import taken_back
from loom.reduce.commands import Command, parsed
from loom.reduce.covering import RanCommands, targets_in
from loom.reduce.deeds import GONE
from loom.reduce.verdict import DONE, PASSES, failed
from loom_partitions.message import Digest, Entry, Fact

CONSIDERED = 64  # successes a failure is held against, the newest: many checks are looked at once


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
    succeeded = [fact for fact in runs if fact.came in (PASSES, DONE)][-CONSIDERED:]
    passed = RanCommands((parsed(fact.about), fact.at) for fact in succeeded)
    for fact in facts:
        if last.get(fact.about, 0) > fact.at:
            yield fact.at
        elif fact.about in last and (fact.kind == "error" or failed(fact.came)):
            mine = parsed(fact.about)
            if any(at > fact.at for at in passed.wider(mine)) or _spoken(passed, mine, fact):
                yield fact.at


def _spoken(passed: RanCommands[int], wide: Command, error: Fact) -> bool:
    """True when a later success of a narrower command is about an error of a wider one."""
    return error.kind == "error" and any(
        at > error.at and targets_in(narrow, error.text) for narrow, at in passed.narrower(wide)
    )


def _edits(changes: list[Fact]) -> Iterator[int]:
    """Changes that were taken back later, or whose file was removed: in one pass over all."""
    files = FactNames(paths_in(changes))
    found: dict[Key, Fact] = {}
    made: dict[str, list[int]] = {}  # by file, when it was changed
    gone: dict[str, int] = {}  # by file, how many of those changes no longer stood at one time
    for fact in changes:
        fold(found, fact, files)
        name = files.name(fact.about)
        if fact.kind in ("edit", "write"):
            made.setdefault(name, []).append(fact.at)
        elif fact.kind == "commit":
            continue
        touched = [name] if fact.kind != "undo" else [*made]
        for one in touched:
            held = [found[key] for key in _keys(one) if key in found]
            if held and one in made and all(now.came in GONE for now in held):
                gone[one] = len(made[one])
    for name, count in gone.items():
        yield from made[name][:count]


def _keys(name: str) -> tuple[Key, ...]:
    return Key("edit", name), Key("write", name)


def _errors(facts: list[Fact]) -> Iterator[int]:
    """Failed calls whose like succeeded, or failed again, later."""
    last: dict[str, int] = {}
    for fact in facts:
        if fact.kind in ("read", "edit", "write"):
            last[f"{fact.kind} {fact.about}"] = fact.at
        elif fact.kind in ("call", "error"):
            last[fact.about] = fact.at
    yield from (f.at for f in facts if f.kind == "error" and last[f.about] > f.at)
