"""`ask`: simulated sessions through the strategies, questions answered from each window alone.

At fixed moments of a session its questions are asked of the request the strategy would send, and
answered from that request alone. `raw` is the transcript whole: what it gets wrong is the reader's.
"""

from __future__ import annotations

import json as jsons
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from benchmarks.driven import gathered, opened, requests, said
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
from loom_bench.simulated.world import STEPS, SimulatedSession, world

RAW = "raw"


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
    end = len(session.events)
    moments, found, at = set(session.moments), [], 0
    with opened(job.strategy, job.capacity) as way:
        try:
            for at, request in requests(session.events, way):
                if at in moments:
                    found += asked_of(session, at, request)
            if end in moments:
                found += asked_of(session, end, way.request())
        except Exception as error:  # whatever is raised, the other sessions go on
            return AskOutcome(job, tuple(found), said(error, at))
    return AskOutcome(job, tuple(found))


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
    verdicts = Counter(one.verdict for one in every)
    kinds = Counter(one.kind for one in every)
    right = Counter(one.kind for one in every if one.verdict == RIGHT)
    lies = Counter(one.lie for one in every if one.lie)
    return {
        "questions": len(every),
        **{name: round(verdicts[name] / max(len(every), 1), 4) for name in VERDICTS},
        "lies": {name: lies[name] for name in LIES},
        "by_kind": {name: round(right[name] / max(kinds[name], 1), 3) for name in KINDS},
        "failed": sum(bool(outcome.failed) for outcome in outcomes),
    }


def missed(size: str, found: dict[str, Figures]) -> list[str]:
    """What Loom was asked and does not reach at one size: lies, too few answers, a better other."""
    ours = found.get(OURS)
    if ours is None:
        return []
    others = [one[RIGHT] for name, one in found.items() if name not in (OURS, RAW)]
    short = {
        f"answers {ours[RIGHT]:.1%} right, less than {NEEDED:.0%}": ours[RIGHT] < NEEDED,
        "answers less than another way": any(other > ours[RIGHT] for other in others),
        f"tells lies: {ours['lies']}": any(ours["lies"].values()),
        f"failed in {ours['failed']} sessions": ours["failed"],
    }
    return [f"loom at {size} {line}" for line, true in short.items() if true]


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
        for drawn in (
            by_row(f"Answers at {size}", found, HEADS),
            by_column(
                f"Right by kind at {size}", {name: one["by_kind"] for name, one in found.items()}
            ),
        )
    ]
    return CommandResult(
        report, shown, missed=[line for one in report.items() for line in missed(*one)]
    )
