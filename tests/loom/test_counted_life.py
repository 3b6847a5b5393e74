"""A life with cuts and renewals: late in it a plain turn costs what it did when the window was full
for the first time. Work is counted, not timed.

Generated sessions are chained. A turn is what came in since the request before it, and its own
request on the wire; a plain one makes no cut. What it costs is read off the engine's counters, the
requests and the workspace's files.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

import loom
from loom.inputs import Event, Reply, Result, System
from loom.replay.feed import feed
from loom_bench.sessions.generate import chained
from tests.kit.cases import all_cases

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
LENGTHS = (1_000, 4_000, 20_000) if SIMULATED else (1_000,)  # steps
WINDOW = 16_000
LONGEST = 500  # characters of a result: short ones come to as many turns in a third of the time
GROWTH = 1.3  # most the middle of the last quarter may be of that of the first
Work = dict[str, int]
COUNTED = (
    "characters counted", "units looked through", "files written", "bytes written",
    "journal records", "bytes rendered", "messages encoded",
)  # fmt: skip


class CountedTurn(Struct, frozen=True):
    """What one turn took, whether it made a cut, and how many messages came in before it."""

    cut: bool
    messages: int
    work: Work


class Meter:
    """Counts the work between one request and the next."""

    def __init__(self, ctx: loom.Context, folder: Path) -> None:
        self._ctx = ctx
        self._folder = folder
        self._wire: list[dict[str, Any]] = []
        self._files = files(folder)
        self._totals = self._counters()
        self._commits = ctx._engine.workspace.commits

    def turn(self, messages: int) -> CountedTurn:
        """Ask for the next request; everything since the one before it is its work."""
        ctx, cuts = self._ctx, self._ctx.window.sent.cuts
        wire = ctx.turn().request("openai")["messages"]
        kept = takewhile(lambda pair: pair[0] is pair[1], zip(self._wire, wire, strict=False))
        before, self._totals = self._totals, self._counters()
        work = {name: total - before[name] for name, total in self._totals.items()}
        work["messages encoded"] = len(wire) - sum(1 for _ in kept)
        self._wire = wire
        return CountedTurn(ctx.window.sent.cuts > cuts, messages, {**work, **self._stored()})

    def _counters(self) -> Work:
        engine = self._ctx._engine
        catalog = engine.read_ahead._catalog
        return {
            "characters counted": engine.sizes.count.characters,
            "units looked through": catalog.looked.made if catalog else 0,
            "bytes rendered": engine.requests.rendering.encoded,
        }

    def _stored(self) -> Work:
        workspace = self._ctx._engine.workspace
        numbers = range(self._commits + 1, workspace.commits + 1)
        before, self._files = self._files, files(self._folder)
        self._commits = workspace.commits
        changed = [name for name, mark in self._files.items() if before.get(name) != mark]
        return {
            "files written": len(changed),
            "bytes written": sum(added(before.get(name), self._files[name]) for name in changed),
            "journal records": sum(len(workspace.records(number)) for number in numbers),
        }


Mark = tuple[int, int, int]  # which file it is, its bytes, when it was changed


def files(folder: str | Path) -> dict[str, Mark]:
    """Return the mark of every file under a folder, by its path."""
    found: dict[str, Mark] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                found |= files(entry.path)
            else:
                about = entry.stat(follow_symlinks=False)
                found[entry.path] = (about.st_ino, about.st_size, about.st_mtime_ns)
    return found


def added(before: Mark | None, after: Mark) -> int:
    """Return the bytes written to a file: what was appended, or all of one made anew."""
    appended = before is not None and before[0] == after[0] and before[1] < after[1]
    return after[1] - before[1] if appended and before else after[1]


def shortened(event: Event) -> Event:
    """Return an event with the beginning of its result."""
    return replace(event, text=event.text[:LONGEST]) if isinstance(event, Result) else event


def lived(ctx: loom.Context, folder: Path, steps: int) -> Iterator[CountedTurn]:
    """Live through so many steps, and yield the turn before each reply."""
    meter, messages = Meter(ctx, folder), 0
    for event in chained([], "support"):
        if isinstance(event, Reply):
            if not steps:
                return
            steps -= 1
            yield meter.turn(messages)
            messages = 0
        feed(ctx, shortened(event))
        messages += not isinstance(event, System)


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> list[CountedTurn]:
    """The turns of one life, of as many steps as the longest."""
    folder = tmp_path_factory.mktemp("life") / "w"
    with loom.open(folder, goal="Go on.", window=WINDOW, durable=False) as ctx:
        found = list(lived(ctx, folder, LENGTHS[-1]))
        assert ctx.window.sent.cuts > 1
    return found


def quarters(turns: Sequence[CountedTurn]) -> tuple[list[CountedTurn], list[CountedTurn]]:
    """Return the first and the last quarter of the plain turns since the first cut."""
    full = next(at for at, turn in enumerate(turns) if turn.cut)
    plain = [turn for turn in turns[full:] if not turn.cut]
    size = len(plain) // 4
    return plain[:size], plain[-size:]


def middle(counts: Sequence[float]) -> float:
    """Return the mean of the middle half: a median that tells more than whole numbers apart."""
    quarter = len(counts) // 4
    return fmean(sorted(counts)[quarter : len(counts) - quarter])


def middles(turns: Sequence[CountedTurn], name: str) -> tuple[float, float]:
    """Return the middle of some work per turn, and per message that came in."""
    works = [turn.work[name] for turn in turns]
    each = [turn.work[name] / turn.messages for turn in turns]
    return middle(works), middle(each)


def grown(turns: Sequence[CountedTurn], name: str) -> bool:
    """Tell whether the last quarter takes more work per turn, or per message, than the first."""
    first, last = (middles(quarter, name) for quarter in quarters(turns))
    assert min(first) > 0, f"nothing was counted of {name}"
    return any(late > GROWTH * early for early, late in zip(first, last, strict=True))


@pytest.mark.timeout(3_600 if SIMULATED else 300)
@all_cases("steps", LENGTHS)
@all_cases("name", COUNTED)
def test_a_plain_turn_costs_the_same(turns: list[CountedTurn], name: str, steps: int) -> None:
    """The last quarter of a life takes no more work per turn, and per message, than the first."""
    lives = turns[:steps]
    assert len(lives) == steps
    assert set(lives[-1].work) == set(COUNTED)
    assert not grown(lives, name), [middles(quarter, name) for quarter in quarters(lives)]
