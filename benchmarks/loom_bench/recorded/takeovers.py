"""Labelled takeovers: what a successor must know of a session when its client compacted it.

`SESSION.jsonl` in a folder of labels has an item a line; the session of that name stands in another
folder. An item is answered by a text when each of its evidence groups has one alternative in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, json

from loom.inputs import Event, User
from loom.replay.importers import find, load
from loom.replay.importers.rows import read_rows
from loom.replay.importers.talks import split_into_talks
from loom_bench.errors import BadBench


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


def taken_over(labels: Path, sessions: Iterable[Path]) -> list[LabelledTakeover]:
    """The labelled sessions, in the order of their labels. Raises BadBench and BadSession."""
    paths = {path.stem[:8]: path for path in find(sessions)}
    files = sorted(labels.glob("*.jsonl"))
    if not files:
        raise BadBench(f"{labels} holds no file of labelled items (*.jsonl)")
    for file in files:
        if file.stem not in paths:
            raise BadBench(f"{file.name}: no session of that name is in the folders given")
    return [LabelledTakeover(file, paths[file.stem]) for file in files]


class LabelledTakeover(Struct, frozen=True):
    """A file of labelled items, and the session it is of."""

    labels: Path
    session: Path

    @property
    def stem(self) -> str:
        """The session's name."""
        return self.session.stem

    def load(self) -> TakenOver:
        """The session up to its first compaction, without the summaries its own client wrote, and
        the items. Raises BadBench and BadSession."""
        path, lines = self.session, self.labels.read_bytes().splitlines()
        values = [item for talk in split_into_talks(path, read_rows(path)) for item in talk.items]
        end = next((one.index for one in values if one.value.get("compact_boundary")), None)
        if end is None:
            raise BadBench(f"{path.name}: no compaction was recorded in it")
        summaries = {one.index for one in values if one.value.get("compact_summary")}
        session = next(iter(load(path)))
        users = (one for one in session.events if isinstance(one, User))
        return TakenOver(
            session.name,
            tuple(e for e in session.events if e.index < end and e.index not in summaries),
            next((one.text for one in users if one.index in summaries), ""),
            tuple(json.decode(line, type=TakeoverItem) for line in lines if line.strip()),
        )
