"""Labelled items of what a successor must know, and the recorded sessions they are of.

An item is answered by a text when each of its evidence groups has one alternative in the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct, json

from loom.inputs import Event, User
from loom.replay.importers import find, load
from loom.replay.importers.rows import read
from loom.replay.importers.talks import talks
from loom_bench.errors import BadBench

KINDS = ("said", "why", "state", "exact", "trap")


class TakeoverItem(Struct, frozen=True):
    """One thing a successor must know. `age` is in messages before the moment of takeover."""

    id: str
    kind: str
    question: str
    evidence: tuple[tuple[str, ...], ...]
    wrong: tuple[str, ...] = ()
    age: int = 0

    def answered(self, text: str) -> bool:
        """True when a text, as `plain` gives it, holds an alternative of each group."""
        return all(any(plain(one) in text for one in group) for group in self.evidence)

    def misled(self, text: str) -> bool:
        """True when a text holds what is wrong and not what is right."""
        return any(plain(one) in text for one in self.wrong) and not self.answered(text)


class TakenOver(Struct, frozen=True):
    """A session up to its first compaction: its events, the summary written there, its items."""

    name: str
    events: tuple[Event, ...]
    summary: str
    items: tuple[TakeoverItem, ...]


def plain(text: str) -> str:
    """A text as evidence is compared: letters small, blanks as one, the marks of quotes gone."""
    lines = (line.lstrip().removeprefix("> ") for line in text.splitlines())
    return " ".join(" ".join(lines).casefold().split())


def taken_over(labels: Path, sessions: Iterable[Path]) -> Iterator[TakenOver]:
    """The labelled sessions, in the order of their labels. Raises BadBench and BadSession."""
    paths = {path.stem[:8]: path for path in find(sessions)}
    files = sorted(labels.glob("*.jsonl"))
    if not files:
        raise BadBench(f"{labels} holds no file of labelled items (*.jsonl)")
    for file in files:
        if file.stem not in paths:
            raise BadBench(f"{file.name}: no session of that name is in the folders given")
        lines = file.read_bytes().splitlines()
        items = tuple(json.decode(line, type=TakeoverItem) for line in lines if line.strip())
        yield _taken_over(paths[file.stem], items)


def _taken_over(path: Path, items: tuple[TakeoverItem, ...]) -> TakenOver:
    """One session, without the summaries its own client wrote."""
    values = [item for talk in talks(path, read(path)) for item in talk.items]
    ends = [one.index for one in values if one.value.get("compact_boundary")]
    if not ends:
        raise BadBench(f"{path.name}: no compaction was recorded in it")
    summaries = {one.index for one in values if one.value.get("compact_summary")}
    session = next(iter(load(path)))
    texts = [
        event.text
        for event in session.events
        if event.index in summaries and isinstance(event, User)
    ]
    events = tuple(
        event for event in session.events if event.index < ends[0] and event.index not in summaries
    )
    return TakenOver(session.name, events, texts[0] if texts else "", items)
