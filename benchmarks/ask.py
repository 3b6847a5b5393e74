"""`ask`: simulated sessions through the strategies, questions answered from each window alone.

At fixed moments of a session its questions are asked of the request the strategy would send, and
answered from that request alone. `raw` is the transcript whole: what it gets wrong is the reader's.
"""

from __future__ import annotations

import json as jsons
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from benchmarks.driven import RAW, gathered, opened, requests, said
from benchmarks.options import (
    Capacity,
    CommandResult,
    Details,
    FromOne,
    Names,
    Workers,
    measuring,
    sizes,
)
from benchmarks.show import by_capacity, by_column, by_row, on_stderr
from loom.providers.render.message import Message
from loom_bench.errors import BadBench
from loom_bench.recorded.named import known
from loom_bench.simulated.questions import KINDS, LIES, RIGHT, VERDICTS, questions
from loom_bench.simulated.reading import read
from loom_bench.simulated.state import Truth
from loom_bench.simulated.world import STEPS, world


class AskJob(Struct, frozen=True):
    """One session through one strategy at one capacity (tokens)."""

    seed: int
    strategy: str
    capacity: int
    steps: int = STEPS
    held_out: bool = False


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


def asked(job: AskJob) -> AskOutcome:
    """Drive one session. What goes wrong in it is in the outcome."""
    session = world(job.seed, job.steps, held_out=job.held_out)
    end, moments, found, at = len(session.events), set(session.moments), list[Asked](), 0
    with opened(job.strategy, job.capacity) as way:
        try:
            for at, request in requests(session.events, way):
                if at in moments:
                    found += _asked(session.truths[at - 1], at, request)
            found += _asked(session.truths[-1], end, way.request())
        except Exception as error:  # whatever is raised, the other sessions go on
            return AskOutcome(job, tuple(found), said(error, at))
    return AskOutcome(job, tuple(found))


def _asked(truth: Truth, at: int, request: Sequence[Message]) -> Iterator[Asked]:
    """The questions of one moment, answered from a request."""
    reading = read(request)
    for one in questions(truth):
        given = one.answer(reading)
        verdict = one.verdict(given)
        lie = "" if verdict == RIGHT else one.lies.get(given, "")
        yield Asked(at, one.kind, one.about, one.right, given, verdict, lie)


OURS = "loom"
NEEDED = 0.95  # share of right answers of Loom's
SHOWN = 400  # characters of an answer in the details


def lines(outcomes: Iterable[AskOutcome]) -> Iterable[str]:
    """A JSON line for each question."""
    for outcome in outcomes:
        head = msgspec.to_builtins(outcome.job)
        for one in outcome.asked:
            row = {**head, **msgspec.to_builtins(one), "given": one.given[:SHOWN]}
            yield jsons.dumps(row, ensure_ascii=False) + "\n"


Figures = dict[str, Any]


def figures(outcomes: Sequence[AskOutcome]) -> Figures:
    """Shares of verdicts over all questions, right ones by kind, and the counts of the lies."""
    every = [one for outcome in outcomes for one in outcome.asked]
    met = Counter((one.kind, one.verdict) for one in every)
    lies = Counter(one.lie for one in every)

    def share(verdict: str, *kinds: str) -> float:
        some = [(count, was) for (kind, was), count in met.items() if kind in kinds]
        asked = sum(count for count, _ in some)
        return sum(count for count, was in some if was == verdict) / max(asked, 1)

    return {
        "questions": len(every),
        **{name: round(share(name, *KINDS), 4) for name in VERDICTS},
        "lies": {name: lies[name] for name in LIES},
        "by_kind": {name: round(share(RIGHT, name), 3) for name in KINDS},
        "failed": sum(bool(outcome.failed) for outcome in outcomes),
    }


def missed(size: str, found: dict[str, Figures]) -> Iterator[str]:
    """What Loom was asked and does not reach at one size: lies, too few answers, a better other."""
    ours = found.get(OURS)
    if ours is None:
        return
    if ours[RIGHT] < NEEDED:
        yield f"loom at {size} answers {ours[RIGHT]:.1%} right, less than {NEEDED:.0%}"
    if any(one[RIGHT] > ours[RIGHT] for name, one in found.items() if name not in (OURS, RAW)):
        yield f"loom at {size} answers less than another way"
    if any(ours["lies"].values()):
        yield f"loom at {size} tells lies: {ours['lies']}"
    if ours["failed"]:
        yield f"loom at {size} failed in {ours['failed']} sessions"


HEADS = {name: name for name in ("questions", *VERDICTS, "lies", "failed")}
BASELINES = (OURS, "tail", "tail_low", "head_tail", "clear_tools", "summary_stub")


@measuring
def ask(
    *,
    seeds: FromOne = 8,
    first: int = 1,
    steps: FromOne = STEPS,
    capacity: Capacity = "8192,16000",
    strategy: Names = None,
    held_out: bool = False,
    workers: Workers = 2,
    details: Details = None,
) -> CommandResult:
    """Ask simulated sessions what is true, and read the answers from each window alone.

    Parameters
    ----------
    seeds
        Sessions.
    first
        The seed of the first of them.
    steps
        Replies of a session, about.
    strategy
        Names of what is measured, `raw` (the whole transcript) among them; without any, Loom and
        the built-in baselines.
    held_out
        Sessions in the words that are kept from development.
    """
    names = known(strategy or [*BASELINES], (RAW,), on_stderr)
    capacities = sizes("--capacity", capacity)
    jobs = [
        AskJob(seed, name, size, steps, held_out)
        for seed in range(first, first + seeds)
        for size in capacities
        for name in names
    ]
    if not jobs:
        raise BadBench("--seeds, --strategy: nothing was left to ask")

    def told(one: AskOutcome) -> tuple[str, bool]:
        right = sum(answer.verdict == RIGHT for answer in one.asked)
        who = f"seed {one.job.seed} {one.job.strategy} at {one.job.capacity:,}"
        return f"{who}: {right}/{len(one.asked)} {one.failed}", bool(one.failed)

    outcomes = gathered("sessions", asked, jobs, workers, told)
    if details is not None:
        details.write_text("".join(lines(outcomes)), "utf-8")
    report = by_capacity(
        outcomes, names, capacities, lambda one: (one.job.strategy, one.job.capacity), figures
    )
    shown = [
        drawn
        for size, found in report.items()
        for kinds in [{name: one["by_kind"] for name, one in found.items()}]
        for drawn in (
            by_row(f"Answers at {size}", found, HEADS),
            by_column(f"Right by kind at {size}", kinds),
        )
    ]
    return CommandResult(
        report, shown, missed=[line for one in report.items() for line in missed(*one)]
    )
