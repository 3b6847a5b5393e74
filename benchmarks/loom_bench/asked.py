"""What somebody asks for in a few words, as a plan: names, windows, seeds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loom_bench.errors import BadBench
from loom_bench.judges import JUDGES
from loom_bench.parts import lacking
from loom_bench.report.rows import SEEDS, WINDOWS, BenchPlan
from loom_bench.scenarios import SCENARIOS
from loom_bench.session import HELD_OUT, PUBLIC
from loom_bench.strategies import DEFAULT, STRATEGIES

RANGE = re.compile(r"([0-9]{1,6})-([0-9]{1,6})")
SEEDS_MOST = 1_000


def plan_of(
    scenarios: Sequence[str] = (),
    strategies: Sequence[str] = (),
    judges: Sequence[str] = (),
    windows: str = "",
    seeds: str = "",
    held_out: bool = False,
    also: Sequence[str] = (),
) -> BenchPlan:
    """The plan; what is not given is every built-in scenario, DEFAULT, the usual judges.

    `also` are judges beside those.

    Raises BadBench for a name of nothing, and for a strategy whose package is not installed.
    """
    plan = BenchPlan(
        scenarios=_once(scenarios) or tuple(SCENARIOS.built()),
        strategies=_once(strategies) or DEFAULT,
        judges=_once([*(judges or JUDGES.usual()), *also]),
        windows=windows_of(windows) if windows else WINDOWS,
        seeds=seeds_of(seeds) if seeds else SEEDS,
        half=HELD_OUT if held_out else PUBLIC,
    )
    for parts, names in (
        (SCENARIOS, plan.scenarios),
        (STRATEGIES, plan.strategies),
        (JUDGES, plan.judges),
    ):
        for name in names:
            parts.get(name)
    for name in plan.strategies:
        package = lacking(name)
        if package:
            raise BadBench(f"strategy {name}: {package} is not installed")
    return plan


def windows_of(text: str) -> tuple[int, ...]:
    """Windows in tokens, separated by commas: `8192,32000`. Raises BadBench for anything else."""
    try:
        found = [int(one) for one in text.replace("_", "").split(",")]
    except ValueError:
        found = []
    if not found or min(found) <= 0:
        raise BadBench(f"windows {text!r}: give tokens, separated by commas, as 8192,32000")
    return tuple(dict.fromkeys(found))


def seeds_of(text: str) -> tuple[int, ...]:
    """Seeds: `3` is the first three, `4-6` and `1,5` are just these. Raises BadBench otherwise."""
    asked = text
    if text.isdecimal():
        text = f"1-{text}"
    found: list[int] = []
    for part in text.split(","):
        span = RANGE.fullmatch(part.strip())
        first, last = (span[1], span[2]) if span else (part.strip(), part.strip())
        if not first.isdecimal() or int(first) > int(last) or int(last) - int(first) >= SEEDS_MOST:
            raise BadBench(f"seeds {asked!r}: give how many, or which, as 3, 4-6 or 1,5")
        found += range(int(first), int(last) + 1)
    return tuple(dict.fromkeys(found))


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
