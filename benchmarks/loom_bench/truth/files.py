"""Stale code: a block that a file held, that it does not hold now, and that nothing there says so.

A block is at least three lines of code that follow one another. It is told as old, not stale, in
the old text of an edit and its answer, in what a command of version control shows, and where a call
stands behind it that took it from the file: the edit with its old text, or the write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from loom.inputs import Event
from loom_bench.truth.lines import significant
from loom_bench.truth.shadow import RUN, ShadowFiles, Triple, triples
from loom_bench.truth.shown import Piece, Ruling, ShownRequest
from loom_bench.truth.transcript import CallMade, body_of, kind_of, replacements


class StaleCode:
    """Judges the code that stands in a request by the files of the session."""

    def __init__(self) -> None:
        self._files = ShadowFiles()
        self._held: dict[Triple, set[str]] = defaultdict(set)  # → files that ever held it
        self._lines: set[str] = set()
        self._olds: dict[str, list[str]] = {}  # id of a call → the old texts of its edits

    def take(self, event: Event, made: CallMade | None) -> None:
        """Follow the files."""
        if made is None:
            return
        self._files.take(made)
        self._olds[made.call.id] = [one.old for one in replacements(made.given)]
        path = self._files.names.of(made.path) if made.path else ""
        if path in self._files.files:
            for triple in self._files.files[path].ever:
                self._held[triple].add(path)
                self._lines.update(triple)

    def rule(self, request: ShownRequest) -> Ruling:
        """Count stale blocks, their lines, and all lines of code that stand."""
        ruling = Ruling()
        gone = self._all_gone()
        taken = self._taken(request.pieces)
        for place, piece in enumerate(request.pieces):
            lines = significant(piece.text)
            ruling.sums["code_lines"] += sum(map(self._lines.__contains__, lines))
            if _history(piece) or gone.isdisjoint(_all_triples(piece.text)):
                continue
            told = {each for one in replacements(piece.given) for each in triples(one.old)}
            stale = [
                at
                for at, triple in enumerate(triples(piece.text))
                if triple in gone and triple not in told and taken.get(triple, -1) <= place
            ]
            for first, last in runs(stale):
                ruling.fault("stale", " ⏎ ".join(lines[first : last + RUN]))
                ruling.sums["stale_lines"] += last + RUN - first
        return ruling

    def _all_gone(self) -> set[Triple]:
        """What no file holds any more."""
        lost = set().union(*(file.gone for file in self._files.files.values()))
        return {triple for triple in lost if triple in self._held and self._gone(triple)}

    def _gone(self, triple: Triple) -> bool:
        """True when a file lost it and none holds it."""
        owners = [
            self._files.files[path] for path in self._held[triple] if path in self._files.files
        ]
        return bool(owners) and all(triple in file.gone for file in owners)

    def _taken(self, pieces: Sequence[Piece]) -> dict[Triple, int]:
        """Triple → place of the last standing call that says it took it from its file."""
        found: dict[Triple, int] = {}
        for place, piece in enumerate(pieces):
            lost = self._files.lost.get(piece.call_id, ()) if piece.kind == "call" else ()
            if not lost:
                continue
            olds = [one.old for one in replacements(piece.given)]
            told = {line for old in olds for line in significant(old)}
            whole = (
                body_of(piece.given) is not None
                if kind_of(piece.name) == "write"
                else (olds == self._olds[piece.call_id])
            )
            found |= {triple: place for triple in lost if whole or told.intersection(triple)}
        return found


@lru_cache(maxsize=4096)
def _all_triples(text: str) -> frozenset[Triple]:
    """The triples of a text, in no order."""
    return frozenset(triples(text))


def runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of places that follow one another."""
    found: list[tuple[int, int]] = []
    for at in places:
        if found and at == found[-1][1] + 1:
            found[-1] = (found[-1][0], at)
        else:
            found.append((at, at))
    return found


def _history(piece: Piece) -> bool:
    """True for what version control shows."""
    command = piece.given.get("command", piece.given.get("cmd", ""))
    return isinstance(command, str) and "git " in command
