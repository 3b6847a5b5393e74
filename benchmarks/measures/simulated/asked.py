"""Simulated sessions through a strategy, and their questions asked of its requests.

At fixed moments of a session its questions are asked of the request the strategy would send, and
answered from that request alone. `raw` is the transcript whole: what it gets wrong is the reader's.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom.inputs import Event, Reply
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom_bench.recorded.named import opener
from loom_bench.recorded.windows import RecordedStrategy
from loom_bench.simulated.questions import RIGHT, questions
from loom_bench.simulated.reading import read
from loom_bench.simulated.world import STEPS, SimulatedSession, world
from loom_bench.strategies.history import RecordedHistory, flat

RAW = "raw"


class AskJob(Struct, frozen=True):
    """One session through one strategy at one capacity (tokens)."""

    seed: int
    strategy: str
    capacity: int
    steps: int = STEPS
    held_out: bool = False
    every_cut: bool = False  # ask after every cut too, not at the fixed moments alone


class Asked(Struct, frozen=True):
    """One question at one moment, and how it was answered."""

    at: int
    kind: str
    about: str
    right: str
    given: str
    verdict: str
    lie: str = ""


class AskOutcome(Struct, frozen=True):
    """Every question of a session; `failed` says what ended it early."""

    job: AskJob
    asked: tuple[Asked, ...]
    failed: str = ""


def asked_of(session: SimulatedSession, at: int, request: Sequence[Message]) -> list[Asked]:
    """The questions of one moment, answered from a request."""
    reading = read(request)
    made = []
    for question in questions(session.truths[at - 1]):
        given = question.answer(reading)
        verdict = question.verdict(given)
        lie = "" if verdict == RIGHT else question.lies.get(given, "")
        made.append(Asked(at, question.kind, question.about, question.right, given, verdict, lie))
    return made


def asked(job: AskJob) -> AskOutcome:
    """Drive one session. What goes wrong in it is in the outcome."""
    session = world(job.seed, job.steps, held_out=job.held_out)
    meter = Meter(counter_for())
    history = RecordedHistory(meter)
    strategy = None if job.strategy == RAW else opener(job.strategy)(job.capacity, meter, False)
    moments, found, at = set(session.moments), [], 0
    before: Sequence[Message] = ()
    try:
        for at, event in enumerate([*session.events, None]):
            if event is None or isinstance(event, Reply):
                request = strategy.request() if strategy else flat(history.groups)
                cut = job.every_cut and list(request[: len(before)]) != list(before)
                if cut or at in moments:
                    found += asked_of(session, at, request)
                before = request
            if event is not None:
                _feed(strategy, history, event)
    except Exception as error:  # whatever is raised, the other sessions go on
        return AskOutcome(job, tuple(found), f"event {at}: {type(error).__name__}: {error}")
    finally:
        if strategy:
            strategy.close()
    return AskOutcome(job, tuple(found))


def _feed(strategy: RecordedStrategy | None, history: RecordedHistory, event: Event) -> None:
    if strategy:
        strategy.feed(event)
    else:
        history.add(event)
