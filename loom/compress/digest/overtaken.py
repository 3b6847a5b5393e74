"""Entries that may not stand behind a digest: it says what holds now, and they say otherwise.

A run that was made again and an edit that was taken back, older than what overtook them, would be
read after it. Without: `benchmarks ask` at 16,000 reads four commands that pass as failing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loom.compress.digest.collect import collected
from loom.compress.digest.keys import Key
from loom.compress.digest.names import FactNames
from loom.compress.digest.state import fold, paths_in
from loom.reduce.deeds import GONE
from loom_partitions.message import Digest, Entry, Fact

CHANGES = ("edit", "write", "undo", "commit")


def overtaken(entries: Iterable[Entry]) -> frozenset[int]:
    """The ids of the entries that something later overtook."""
    facts = collected(entry for entry in entries if not isinstance(entry, Digest))
    runs = [fact for fact in facts if fact.kind == "ran"]
    last = {fact.about: fact.at for fact in runs}
    again = (fact.at for fact in runs if fact.at < last[fact.about])
    return frozenset((*again, *_edits([fact for fact in facts if fact.kind in CHANGES])))


def _edits(changes: Sequence[Fact]) -> Iterator[int]:
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
        for one in [name] if fact.kind != "undo" else [*made]:
            held = [found[key] for key in _keys(one) if key in found]
            if held and one in made and all(now.came in GONE for now in held):
                gone[one] = len(made[one])
    for name, count in gone.items():
        yield from made[name][:count]


def _keys(name: str) -> tuple[Key, ...]:
    return Key("edit", name), Key("write", name)
