"""The large tool results of recorded sessions, with the needles that stood in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from loom.inputs import Event, Reply, Result, Session, User
from loom.reduce.arguments import parse
from loom.replay.importers import load
from loom.replay.importers.unreadable import BadSession
from loom_bench.recorded.labels import SCORED, labels_of, read
from loom_bench.sessions.needle import held

PAGE = "outputs/result_{:04d}.txt"  # the page a result rests in, named as Loom names them


class Needle(Struct, frozen=True):
    """An exact text that a later call needed: its label (file, number in it), its kind."""

    label: tuple[str, int]
    kind: str
    text: str


class Large(Struct, frozen=True):
    """A result above the limit, as a strategy is given it.

    `objective` is the last message of the user before it, "" without one; `json` tells whether the
    whole text is one JSON object or array; `needles` are those a call after it needed.
    """

    text: str
    ref: str
    objective: str
    json: bool
    needles: tuple[Needle, ...] = ()


def large(paths: Iterable[Path], limit: int) -> list[Large]:
    """The results of session files above `limit` characters, in order.

    A needle that stood in several of them is in each. Raises BadSession, also for a labelled file
    that does not hold one session.
    """
    found: list[Large] = []
    for path in paths:
        sessions = load(path)
        labelled = labels_of(path).is_file()
        if labelled and len(sessions) != 1:
            raise BadSession(path, 0, f"{len(sessions)} sessions: labels need a file with one")
        for session in sessions:
            needed = list(_needed(path, session)) if labelled else []
            found += _large(session.events, needed, limit, len(found))
    return found


def needles(results: Iterable[Large]) -> dict[tuple[str, int], Needle]:
    """The needles of results, each once."""
    return {needle.label: needle for one in results for needle in one.needles}


def _needed(path: Path, session: Session) -> Iterator[tuple[int, Needle]]:
    """(place of the reply whose call needs it, needle), of the labels that name an exact text."""
    replies = {one.index: at for at, one in enumerate(session.events) if isinstance(one, Reply)}
    for number, label in enumerate(read(path)):
        if label.kind in SCORED and label.needle and label.call in replies:
            yield replies[label.call], Needle((str(path), number), label.kind, label.needle)


def _large(
    events: Sequence[Event], needed: Sequence[tuple[int, Needle]], limit: int, start: int
) -> Iterator[Large]:
    """The large results of one session; their pages are numbered from `start`."""
    objective = ""
    for at, event in enumerate(events):
        if isinstance(event, User):
            objective = event.text
        elif isinstance(event, Result) and len(event.text) > limit:
            text = event.text
            held_here = (needle for later, needle in needed if later > at)
            kept = tuple(needle for needle in held_here if held(needle.text, text))
            yield Large(text, PAGE.format(start), objective, parse(text) is not None, kept)
            start += 1
