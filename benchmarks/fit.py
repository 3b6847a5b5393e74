"""`fit`: constants of retention, fitted on one half of labelled sessions, tested on the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from benchmarks.options import (
    CAPACITIES,
    FromZero,
    Json,
    Sessions,
    Share,
    Workers,
    refusing,
    sizes,
)
from benchmarks.show import Bar, by_column, by_row, end
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


def report_on(
    fit: Fit,
    marks: Mapping[str, Sequence[Row]],
    chosen: Sequence[Row],
    capacities: Sequence[int],
    wrote: bool,
) -> dict[str, Any]:
    """All figures of a fit; `marks` are the rows under each water mark.

    `chosen` are the rows of the constants that would be written, on the sessions that chose them.
    """
    even = (len(fit.paths) + 1) // 2
    parts = ((fit.before[:even], fit.tested[:even]), (fit.before[even:], fit.tested[even:]))
    tests = {
        f"tested on {half}": {
            "in force": figures(before, capacities),
            "fitted on the other": figures(after, capacities),
        }
        for half, (before, after) in zip(HALVES, parts, strict=True)
    }
    return {
        "sessions": len(fit.paths),
        "price": PRICE,
        "low_water": fit.start.policy.low_water,
        "water_marks": {name: figures(rows, capacities) for name, rows in marks.items()},
        "tests": {
            **tests,
            "pooled": {
                "in force": figures(fit.before, capacities),
                "fitted on the other": figures(fit.tested, capacities),
            },
            "untested": {"chosen": figures(chosen, capacities)},
        },
        "gain": round(fit.gain.mean, ROUNDED),
        "interval": [round(fit.gain.low, ROUNDED), round(fit.gain.high, ROUNDED)],
        "accepted": fit.accepted,
        "written": wrote,
        "constants": {
            "in force": values(fit.start.fitted),
            **{h: values(trial.fitted) for h, trial in zip(HALVES, fit.fitted, strict=True)},
            "chosen": values(fit.chosen.fitted),
        },
    }


def _row(found: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of each capacity side by side."""
    sizes = {name: one for name, one in found.items() if name != "objective"}
    flat = {f"{key} {n}": one[key] for n, one in sizes.items() for key in one if key != "failed"}
    return {**flat, "objective": found["objective"]}


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


# What a cut comes down to, in shares of the capacity: from the documents' low water to just below
# the first mark.
MARKS = (0.60, 0.63, 0.66, 0.69)


def levels(policy: Policy) -> list[float]:
    """The water marks that are measured, the policy's own among them."""
    return sorted({*MARKS, policy.low_water})


def replays_of(paths: Sequence[Path], policy: Policy, rounds: int) -> int:
    """How many replays a fit takes at each capacity, at most."""
    return len(levels(policy)) * len(paths) + most_replays(paths, rounds)


def fitting(
    bench: Bench,
    paths: Sequence[Path],
    start: Candidate,
    rounds: int,
    seed: int,
    describe: Callable[[str], None],
) -> tuple[Fit, dict[str, Any]]:
    """Fit on labelled sessions from a start; the fit, and its report with nothing written yet."""
    describe(f"{len(paths)} sessions, water marks")
    marked = {
        str(level): replace(start, policy=replace(start.policy, low_water=level))
        for level in levels(start.policy)
    }
    bench.run((trial, paths) for trial in marked.values())
    found = cross_validated(bench, paths, start, rounds, seed, describe)
    marks = {name: bench.rows(trial, paths) for name, trial in marked.items()}
    chosen = bench.rows(found.chosen, paths)
    return found, report_on(found, marks, chosen, bench.capacities, False)


LEAST = 2  # sessions: one for each half


@refusing
def fit(
    *,
    sessions: Sessions,
    capacity: str = CAPACITIES,
    rounds: FromZero = 12,
    seed: int = 1,
    workers: Workers = 2,
    low_water: Share | None = None,
    ageing: Literal["log", "steps"] = "log",
    write: bool = False,
    file: Path = FILE,
    json: Json = False,
) -> int:
    """Fit the constants of retention on one half of the sessions, test them on the other.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without labels beside them are passed over.
    capacity
        Tokens of a request, reply not counted, separated by commas.
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
    total = replays_of(paths, policy, rounds) * len(capacities)
    with Bar("fitting", total) as bar, Bench(capacities, workers, bar.advance) as bench:
        found, report = fitting(bench, paths, start, rounds, seed, bar.describe)
    report["written"] = write and kept(found, file)
    marks = {name: _row(one) for name, one in report["water_marks"].items()}
    tests = {
        f"{a}, {b}": _row(one) for a, both in report["tests"].items() for b, one in both.items()
    }
    title = f"Cross-validation at low_water {report['low_water']}"
    shown = [
        by_row("Water marks", marks),
        by_row(title, tests),
        by_column("Constants", report["constants"]),
    ]
    end(report, [] if json else shown, "" if json else verdict(found, report["written"]))
    return 0
