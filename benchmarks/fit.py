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
from loom.compress.worth.fitted import fitted
from loom.errors import LoomError
from loom.policy import Policy
from loom.policy import chosen as checked
from loom_bench.errors import BadBench
from loom_bench.fit.constants import FILE, values, written
from loom_bench.fit.replay import Candidate, recorded
from loom_bench.fit.search import (
    PRICE,
    Bench,
    Fit,
    Row,
    added,
    cross_validated,
    mean_request,
    most_replays,
    objective,
    share,
)
from loom_bench.recorded.labels import labelled

ROUNDED = 4
HALVES = ("even", "odd")
SIZED = ("resident", "mean_request", "cuts")  # figures of each capacity


def figures(rows: Sequence[Row], capacities: Sequence[int]) -> dict[str, Any]:
    """The objective, and by capacity the share resident, the tokens of a request and the cuts."""
    found: dict[str, Any] = {"objective": round(objective(rows, capacities), ROUNDED)}
    for capacity, sums in zip(capacities, added(rows), strict=True):
        found[str(capacity)] = {
            "needs": sums.needs,
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
    even = (len(fit.paths) + 1) // 2
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
    paths = [path for path in labelled(sessions) if recorded(path)[1]]
    if len(paths) < LEAST:
        raise BadBench(f"--sessions: {len(paths)} with labels that count, {LEAST} are needed")
    policy = Policy(ageing=ageing)
    policy = policy if low_water is None else replace(policy, low_water=low_water)
    try:
        checked(policy)
    except LoomError as error:
        raise BadBench(f"--low-water: {error}") from error
    start = Candidate(fitted(), policy)
    total = most_replays(paths, rounds) * len(capacities)
    with Bar("fitting", total) as bar, Bench(capacities, workers, bar.advance) as bench:
        found = cross_validated(bench, paths, start, rounds, seed, bar.describe)
        report = report_on(found, bench.rows(found.chosen, paths), capacities)
    report["written"] = write and kept(found, file)
    tests = {
        name: {f"{key} {n}": one[n][key] for n in map(str, capacities) for key in SIZED}
        | {"objective": one["objective"]}
        for name, one in report["tests"].items()
    }
    title = f"Cross-validation at low_water {report['low_water']}"
    shown = [by_row(title, tests), by_column("Constants", report["constants"])]
    return CommandResult(report, shown, verdict(found, report["written"]))
