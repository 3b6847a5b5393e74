"""`fit`: constants of retention, fitted on one half of labelled sessions, tested on the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from benchmarks.options import (
    CAPACITIES,
    Capacity,
    CommandResult,
    FromZero,
    Sessions,
    Share,
    Workers,
    measuring,
    sizes,
)  # fmt: skip
from benchmarks.show import Bar, by_column, by_row
from loom.compress.worth.fitted import constants_in_force
from loom.errors import LoomError
from loom.policy import Policy
from loom.policy import choose_policy as checked
from loom_bench.errors import BadBench
from loom_bench.fit.constants import FILE, SHARES, share_of, values, written
from loom_bench.fit.objective import PRICE, Row, by_judge, mean_request, objective, share
from loom_bench.fit.replay import Candidate, Source, recorded
from loom_bench.fit.search import Bench, Fit, cross_validated, halves, most_replays
from loom_bench.recorded.labels import labelled
from loom_bench.recorded.takeovers import taken_over

ROUNDED = 4
FIRST_SEED = 80  # of the simulated sessions
HALVES = ("even", "odd")
SIZED = ("resident", "mean_request", "cuts")  # figures of each capacity


def figures(rows: Sequence[Row], capacities: Sequence[int]) -> dict[str, Any]:
    """The objective, and by judge and capacity the share resident, the tokens of a request and the
    cuts."""
    found: dict[str, Any] = {"objective": round(objective(rows, capacities), ROUNDED)}
    for judge, total in by_judge(rows).items():
        for capacity, sums in zip(capacities, total, strict=True):
            found[f"{judge} {capacity}"] = {
                "questions": sums.needs,
                "resident": round(share(sums), ROUNDED),
                "mean_request": round(mean_request(sums)),
                "cuts": sums.cuts,
                "failed": sums.failed,
            }
    return found


def report_on(fit: Fit, chosen: Sequence[Row], capacities: Sequence[int]) -> dict[str, Any]:
    """All figures of a fit, with nothing written yet.

    `chosen` are the rows of the constants that would be written, on the sessions that chose them.
    """
    even = len(halves(fit.paths)[0])
    tests = {"even": slice(even), "odd": slice(even, None), "pooled": slice(None)}
    return {
        "sessions": len(fit.paths),
        "price": PRICE,
        "low_water": fit.start.policy.low_water,
        "tests": {
            **{
                f"{whose}, tested on {part}": figures(rows[place], capacities)
                for part, place in tests.items()
                for whose, rows in (("in force", fit.before), ("fitted on the other", fit.tested))
            },
            "chosen, untested": figures(chosen, capacities),
        },
        "gain": round(fit.gain.mean, ROUNDED),
        "interval": [round(fit.gain.low, ROUNDED), round(fit.gain.high, ROUNDED)],
        "accepted": fit.accepted,
        "written": False,
        "constants": {
            "in force": values(fit.start.fitted),
            **{h: values(trial.fitted) for h, trial in zip(HALVES, fit.fitted, strict=True)},
            "chosen": values(fit.chosen.fitted),
        },
        "policy": {
            name: {
                whose: share_of(trial.policy, name)
                for whose, trial in zip((*HALVES, "chosen"), (*fit.fitted, fit.chosen), strict=True)
            }
            for name in SHARES
        },
    }


def verdict(fit: Fit, wrote: bool) -> str:
    """Return the conclusion of the test as a sentence."""
    gain = fit.gain
    said = f"gain {gain.mean:+.4f} (90 % by session: {gain.low:+.4f} to {gain.high:+.4f})"
    if not fit.accepted:
        return f"{said}: no more than noise, the constants in force stay"
    return f"{said}: the new constants " + ("are written" if wrote else "are better; --write them")


def kept(found: Fit, file: Path) -> bool:
    """Write what was chosen when the test accepts it; returns whether it did."""
    if found.accepted:
        file.write_bytes(written(found.chosen.fitted))
    return found.accepted


LEAST = 2  # sessions: one for each half


@measuring
def fit(
    *,
    sessions: Sessions,
    takeovers: Path | None = None,
    seeds: int = 0,
    shares: bool = False,
    capacity: Capacity = CAPACITIES,
    rounds: FromZero = 12,
    seed: int = 1,
    workers: Workers = 2,
    low_water: Share | None = None,
    ageing: Literal["log", "steps"] = "log",
    write: bool = False,
    file: Path = FILE,
) -> CommandResult:
    """Fit the constants of retention on one half of the sessions, test them on the other.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without labels beside them are passed over.
    takeovers
        A folder of labelled takeovers of these sessions: what they say is part of the objective.
    seeds
        So many simulated sessions are asked as well.
    shares
        Whether numbers of the policy are moved too. They are reported, and never written.
    rounds
        Rounds of the search; 0 only measures.
    seed
        The same seed over the same sessions gives the same constants.
    low_water
        The water mark to fit at; without one, the policy's. It is never written.
    ageing
        How the score falls with age; in steps, λ alone is fitted.
    write
        Write the new constants when the test says that they are better by more than noise.
    file
        Where to.
    """
    capacities = sizes("--capacity", capacity)
    paths: list[Source] = [path for path in labelled(sessions) if recorded(path)[1]]
    if len(paths) < LEAST:
        raise BadBench(f"--sessions: {len(paths)} with labels that count, {LEAST} are needed")
    policy = Policy(ageing=ageing)
    policy = policy if low_water is None else replace(policy, low_water=low_water)
    try:
        checked(policy)
    except LoomError as error:
        raise BadBench(f"--low-water: {error}") from error
    start = Candidate(constants_in_force(), policy)
    paths += taken_over(takeovers, sessions) if takeovers else []
    paths += range(FIRST_SEED, FIRST_SEED + seeds)
    total = most_replays(paths, rounds) * len(capacities)
    with Bar("fitting", total) as bar, Bench(capacities, workers, bar.advance) as bench:
        found = cross_validated(bench, paths, start, rounds, seed, bar.describe, shares=shares)
        report = report_on(found, bench.rows(found.chosen, paths), capacities)
    report["written"] = write and kept(found, file)
    tests = {
        name: {
            f"{key}, {at}": sums[key]
            for at, sums in one.items()
            if isinstance(sums, dict)
            for key in SIZED
        }
        | {"objective": one["objective"]}
        for name, one in report["tests"].items()
    }
    title = f"Cross-validation at low_water {report['low_water']}"
    shown = [by_row(title, tests), by_column("Constants", report["constants"])]
    return CommandResult(report, shown, verdict(found, report["written"]))
