"""`ask`: simulated sessions through the strategies, questions answered from each window alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from benchmarks.measures.simulated.asked import RAW, AskJob, AskOutcome, asked
from benchmarks.measures.simulated.report import OURS, line, lines, report_on, short, tables
from benchmarks.options import FromOne, Json, Workers, refuse, sizes
from benchmarks.show import end, on_stderr
from loom_bench.errors import BadBench
from loom_bench.pool import spread
from loom_bench.recorded.named import known
from loom_bench.simulated.world import STEPS

BASELINES = (OURS, "tail", "tail_low", "head_tail", "clear_tools", "summary_stub")


def ask(
    *,
    seeds: FromOne = 8,
    first: int = 1,
    steps: FromOne = STEPS,
    capacity: str = "8192,16000",
    strategy: Annotated[list[str] | None, Parameter(consume_multiple=True, negative=())] = None,
    held_out: bool = False,
    every_cut: bool = False,
    workers: Workers = 2,
    json: Json = False,
    details: Path | None = None,
) -> int:
    """Ask simulated sessions what is true, and read the answers from each window alone.

    Parameters
    ----------
    seeds
        Sessions.
    first
        The seed of the first of them.
    steps
        Replies of a session, about.
    capacity
        Tokens of a request, reply not counted, separated by commas.
    strategy
        Names of what is measured, `raw` (the whole transcript) among them; without any, Loom and
        the built-in baselines.
    held_out
        Sessions in the words that are kept from development.
    every_cut
        Ask after every cut too: whenever a request does not begin with the one before. Strategies
        are then asked at moments of their own, a tail at nearly all.
    details
        A file that gets one JSON line for each question, strategy and capacity.
    """
    try:
        names = known(strategy or [*BASELINES], (RAW,), on_stderr)
        capacities = sizes("--capacity", capacity)
    except (ValueError, BadBench) as error:
        return refuse(error)
    jobs = [
        AskJob(seed, name, size, steps, held_out, every_cut)
        for seed in range(first, first + seeds)
        for size in capacities
        for name in names
    ]
    if not jobs:
        return refuse("--seeds, --strategy: nothing was left to ask")
    outcomes: list[AskOutcome] = []
    for outcome in spread(asked, jobs, workers):
        outcomes.append(outcome)
        on_stderr(f"{len(outcomes)}/{len(jobs)} {line(outcome)}")
    if details is not None:
        details.write_text("".join(lines(outcomes)), "utf-8")
    report = report_on(outcomes, names, capacities)
    end(report, [] if json else tables(report))
    return int(short(report))
