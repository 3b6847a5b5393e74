"""Replays under judges: one pass over a session, for every strategy and capacity at once.

A request is judged when it follows a cut: it does not begin with all of the request before it. The
judges follow the transcript once, whatever is measured.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field

from loom.inputs import Event, Reply, Session
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom.replay.importers import load
from loom_bench.pool import Tell, quiet, spread
from loom_bench.recorded.named import opener
from loom_bench.recorded.windows import RecordedStrategy
from loom_bench.truth.edits import EditsTold
from loom_bench.truth.files import StaleCode
from loom_bench.truth.hostile import planted
from loom_bench.truth.runs import OutcomesTold
from loom_bench.truth.said import UserWords
from loom_bench.truth.shown import ShownRequest, TranscriptJudge
from loom_bench.truth.standing import ForeignWords
from loom_bench.truth.transcript import Transcript
from loom_bench.truth.twice import LinesTwice

JUDGES: tuple[Callable[[], TranscriptJudge], ...] = (
    StaleCode, EditsTold, OutcomesTold, ForeignWords, LinesTwice, UserWords,
)  # fmt: skip


class TruthJob(Struct, frozen=True):
    """A file of sessions, the (strategy, capacity) pairs it goes through, and whether planted."""

    path: Path
    pairs: tuple[tuple[str, int], ...]
    hostile: bool = False


class JudgedReplay(Struct):
    """One session through one strategy at one capacity.

    `faults` are (kind, text) with the number of cuts they stood after; `failed` says what ended
    the replay early.
    """

    session: str
    strategy: str
    capacity: int
    sums: Counter[str] = field(default_factory=Counter)
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: str = ""


class JudgedStrategy:
    """A strategy while its requests are judged."""

    def __init__(self, session: str, name: str, capacity: int, meter: Meter) -> None:
        self.found = JudgedReplay(session, name, capacity)
        self._strategy: RecordedStrategy = opener(name)(capacity, meter, False)
        self._before: list[Message] = []

    def step(self, event: Event, judges: Sequence[TranscriptJudge]) -> None:
        """Judge the request before a reply, then take in the event; an error ends the replay."""
        if self.found.failed:
            return
        try:
            if isinstance(event, Reply):
                self._send(judges)
            self._strategy.feed(event)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            self.found.failed = f"event {event.index}: {type(error).__name__}: {error} ({where})"

    def _send(self, judges: Sequence[TranscriptJudge]) -> None:
        request = list(self._strategy.request())
        before, self._before = self._before, request
        self.found.sums["requests"] += 1
        if request[: len(before)] == before:
            return
        self.found.sums["cuts"] += 1
        shown = ShownRequest(request)
        for judge in judges:
            ruling = judge.rule(shown)
            self.found.sums.update(ruling.sums)
            self.found.faults.update(ruling.faults)

    def close(self) -> JudgedReplay:
        """Give back what the strategy holds; returns what was found."""
        self._strategy.close()
        return self.found


def judged(job: TruthJob) -> list[JudgedReplay]:
    """Every session of a file through every pair."""
    return [one for session in load(job.path) for one in _session(session, job)]


def _session(session: Session, job: TruthJob) -> list[JudgedReplay]:
    judges = [make() for make in JUDGES]
    transcript = Transcript()
    meter = Meter(counter_for())
    runs = [JudgedStrategy(session.name, name, size, meter) for name, size in job.pairs]
    try:
        for event in planted(session.events) if job.hostile else session.events:
            for run in runs:
                run.step(event, judges)
            made = transcript.take(event)
            for judge in judges:
                judge.take(event, made)
    finally:
        found = [run.close() for run in runs]
    return found


def all_judged(
    jobs: Sequence[TruthJob], workers: int, tell: Tell = quiet
) -> Iterator[JudgedReplay]:
    """The replays of every job; `tell` is given a line for each file."""
    for number, replays in enumerate(spread(judged, jobs, workers), 1):
        tell(f"{number}/{len(jobs)} {replays[0].session}")
        for one in replays:
            if one.failed:
                tell(f"  {one.strategy} at {one.capacity:,}: {one.failed}")
            yield one
