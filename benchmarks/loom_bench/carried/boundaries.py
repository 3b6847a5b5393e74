"""Recorded compactions: what stood before each, the summary written there, what was used after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from loom.inputs import Event, Reply, Session
from loom.providers.counts import Counter
from loom.replay.importers import find, load
from loom.replay.importers.rows import read
from loom.replay.importers.talks import Talk, talks
from loom_bench.carried.items import (
    IDENTIFIERS_MOST,
    CarriedItem,
    ShownTexts,
    spoken,
    strings,
    used,
)

AHEAD = 120  # messages after a boundary whose calls say what was needed


class Boundary(Struct, frozen=True):
    """One compaction. `at` is the number of its message, `needed` what was used after it."""

    at: int
    summary: str
    needed: tuple[CarriedItem, ...]


class Compacted(Struct, frozen=True):
    """A session with its compactions; its events are without the summaries written then.

    A window that never ends has none of these summaries, so none is fed to it, and none is a
    source of what could have been carried.
    """

    name: str
    events: tuple[Event, ...]
    boundaries: tuple[Boundary, ...]


def compacted(folders: Iterable[Path]) -> Iterator[Compacted]:
    """The sessions that hold a compaction and its summary. Raises BadSession."""
    for path in find(folders):
        for session, talk in zip(load(path), talks(path, read(path)), strict=True):
            marks = list(_marks(talk))
            if marks:
                yield _compacted(session, marks)


def _marks(talk: Talk) -> Iterator[tuple[int, int]]:
    """(number of the boundary, number of the summary that follows it)."""
    at = -1
    for item in talk.items:
        if item.value.get("compact_boundary") or item.value.get("subtype") == "compact_boundary":
            at = item.index
        if item.value.get("compact_summary") or item.value.get("isCompactSummary"):
            yield (at if at >= 0 else item.index), item.index
            at = -1


def _compacted(session: Session, marks: Sequence[tuple[int, int]]) -> Compacted:
    summaries = {number for _, number in marks}
    texts = {event.index: event for event in session.events if event.index in summaries}
    events = tuple(event for event in session.events if event.index not in summaries)
    before, called = ShownTexts(), ShownTexts()
    left = iter(events)
    event = next(left, None)
    found = []
    for at, number in marks:
        while event is not None and event.index < at:
            for text in spoken(event):
                before.add(text)
            for call in event.calls if isinstance(event, Reply) else ():
                for _, text in strings(call.arguments):
                    called.add(text)
            event = next(left, None)
        summary = "\n".join(spoken(texts[number])) if number in texts else ""
        found.append(Boundary(at, summary, needed(events, number, before, called)))
    return Compacted(session.name, events, tuple(found))


def needed(
    events: Iterable[Event], after: int, before: ShownTexts, called: ShownTexts
) -> tuple[CarriedItem, ...]:
    """Items the calls of the AHEAD messages from `after` on use, and that were there to be carried.

    Files and identifiers are those that earlier calls had used, so they were in use when the window
    was compacted (`called`); an edit's old text may have stood anywhere (`before`).
    """
    calls = (
        call
        for event in events
        if isinstance(event, Reply) and after < event.index <= after + AHEAD
        for call in event.calls
    )
    sources = {"edit": before}
    carried = [item for item in used(calls) if sources.get(item.kind, called).holds(item)]
    identifiers = [item for item in carried if item.kind == "identifier"][:IDENTIFIERS_MOST]
    others = [item for item in carried if item.kind != "identifier"]
    return (*others, *identifiers)


def tail(events: Sequence[Event], before: int, tokens: int, count: Counter) -> list[str]:
    """The newest texts before a message, `tokens` of them; the oldest is cut at its front."""
    kept: list[str] = []
    left = tokens
    for event in reversed(events):
        if event.index >= before:
            continue
        for text in reversed(spoken(event)):
            size = count(text)
            if size > left:
                return [*kept, _end(text, left, count)]
            kept.append(text)
            left -= size
    return kept


def _end(text: str, tokens: int, count: Counter) -> str:
    """The end of a text that takes at most `tokens`."""
    low, high = 0, min(len(text), tokens * 20)  # characters that fit, that may fit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[-middle:]) <= tokens else (low, middle - 1)
    return text[len(text) - low :]
