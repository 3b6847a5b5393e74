"""Replays: every session through every strategy at every capacity, in processes of their own."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from loom.inputs import Reply
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom_bench.plain_list import Meter
from loom_bench.recorded.labels import SCORED, Need, Source, needs_of
from loom_bench.recorded.ledger import LOST, RESIDENT, Finding, Ledger, RequestSums
from loom_bench.recorded.named import RecordedStrategy, opener

SPAN = 20  # requests within which what is brought in twice thrashes
SHOWN = 80  # characters of a needle in the details


class NeedsJob(Struct, frozen=True):
    """One session through one strategy at one capacity (tokens).

    `closed`: what is missing is fetched, as an agent would, before the call that needs it.
    """

    source: Source
    strategy: str
    capacity: int
    closed: bool = False


class Met(Struct, frozen=True):
    """How one need was met. Names are Loom's, empty for what has none."""

    call: int
    kind: str
    verdict: str
    needle: str
    tool: str
    last_seen: int
    distance_tokens: int
    entries: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


class ReplayOutcome(Struct, frozen=True):
    """The result of one replay; `failed` says what ended it early, "" when nothing did.

    `extra_calls` are those made to fetch what was missing, `extra_tokens` the requests they cost,
    `failures` the needs not met even so, and `thrashed` how often what was brought in was brought
    in again for another need within SPAN requests: all 0 unless the job is closed.
    """

    session: str
    job: NeedsJob
    met: tuple[Met, ...]
    sums: RequestSums
    rescued: int = 0
    extra_calls: int = 0
    extra_tokens: int = 0
    failures: int = 0
    thrashed: int = 0
    failed: str = ""


@lru_cache(maxsize=1)
def meter_of(source: Source) -> Meter:
    """The meter of a session: replays of the same session share what was counted."""
    return Meter(counter_for())


def replay(job: NeedsJob) -> ReplayOutcome:
    """One replay. What goes wrong in it is in the outcome; needs after that count as lost."""
    session, needs = needs_of(job.source)
    meter = meter_of(job.source)
    strategy = opener(job.strategy)(job.capacity, meter, job.closed)
    run = _ReplayState(job, strategy, Ledger(meter, job.capacity))
    waiting = list(reversed(needs))
    failed = ""
    try:
        for at, event in enumerate(session.events):
            if isinstance(event, Reply):
                run.send()
                while waiting and waiting[-1].at == at:
                    run.meet(waiting[-1])
                    waiting.pop()
            strategy.feed(event)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        failed = f"event {at}: {type(error).__name__}: {error} ({where})"
        run.give_up(reversed(waiting))
    finally:
        strategy.close()
    return ReplayOutcome(
        session.name,
        job,
        tuple(run.met),
        run.ledger.sums,
        strategy.rescued,
        run.extra_calls,
        run.extra_tokens,
        run.failures,
        run.thrashed,
        failed,
    )


class _ReplayState:
    """A replay while it runs."""

    def __init__(self, job: NeedsJob, strategy: RecordedStrategy, ledger: Ledger) -> None:
        self.ledger = ledger
        self.met: list[Met] = []
        self.extra_calls = self.extra_tokens = self.failures = self.thrashed = 0
        self._brought: dict[str, int] = {}  # name → the request before it came
        self._closed = job.closed
        self._strategy = strategy
        self._request: Sequence[Message] = ()

    def send(self) -> int:
        """Make and count one request; returns its tokens."""
        self._request = self._strategy.request()
        return self.ledger.add(self._request, self._strategy.tools)

    def meet(self, need: Need) -> None:
        """Note where a needle is, and fetch it when that is asked for."""
        finding = self._strategy.find(need, self._request)
        self.met.append(met(need, finding))
        if not self._closed or finding.verdict == RESIDENT or need.label.kind not in SCORED:
            return
        brought: set[str] = set()
        for name in self._strategy.fetch(need, finding):
            brought.add(name)
            self.extra_calls += 1
            self.extra_tokens += self.send()
        self._note(brought - {""})
        self.failures += self._strategy.find(need, self._request).verdict != RESIDENT

    def _note(self, names: Iterable[str]) -> None:
        """Note what was brought in for one need, and count what had been shortly before."""
        now = self.ledger.sums.calls
        for name in names:
            self.thrashed += now - self._brought.get(name, -SPAN - 1) <= SPAN
            self._brought[name] = now

    def give_up(self, needs: Iterable[Need]) -> None:
        """Count needs that the replay did not come to as lost."""
        for need in needs:
            self.met.append(met(need, Finding(LOST)))
            self.failures += self._closed and need.label.kind in SCORED


def met(need: Need, finding: Finding) -> Met:
    """A need with what was found."""
    label = need.label
    return Met(
        label.call,
        label.kind,
        finding.verdict,
        need.needle[:SHOWN],
        label.tool,
        label.last_seen,
        label.distance_tokens,
        finding.entries,
        finding.named,
    )


def jobs_of(
    sources: Iterable[Source], pairs: Sequence[tuple[str, int]], closed: Sequence[bool] = (False,)
) -> list[NeedsJob]:
    """Every session through each (strategy, capacity). Those of one stand together: a process reads
    and counts it once."""
    return [
        NeedsJob(source, strategy, capacity, way)
        for source in sources
        for way in closed
        for strategy, capacity in pairs
    ]


def name_of(outcome: ReplayOutcome) -> str:
    """Which replay it was, and what ended it early."""
    job = outcome.job
    failed = f", failed: {outcome.failed}" if outcome.failed else ""
    return f"{outcome.session}: {job.strategy} at {job.capacity:,}{failed}"
