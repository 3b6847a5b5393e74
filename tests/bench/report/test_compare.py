"""Two runs: what differs is told with its direction, and what chance explains is not."""

from collections.abc import Mapping
from random import Random

from msgspec.structs import replace

from loom_bench.report.compare import (
    BETTER,
    CLOCK,
    FEW,
    OTHER,
    SAME,
    WORSE,
    changed,
    compared,
    losses,
)
from loom_bench.report.rows import BenchReport
from tests.kit.bench_rows import report_made, sums_of

Key = tuple[str, int]


def verdicts(first: BenchReport, second: BenchReport) -> dict[str, str]:
    """Column → verdict."""
    return {one.column: one.verdict for one in compared(first, second)}


def priced(costs: Mapping[Key, float]) -> BenchReport:
    """A run of the tail whose cost is 10⁶ and so much more, by scenario and seed."""
    scenarios, seeds = (tuple(dict.fromkeys(part)) for part in zip(*costs, strict=True))
    report = report_made({"tail": sums_of()}, scenarios=scenarios, seeds=seeds)
    rows = [
        replace(row, sums={**row.sums, "micro_dollars": int(1e6 + costs[place])})
        for row in report.rows
        for place in [(row.job.scenario, row.job.seed)]
    ]
    return replace(report, rows=tuple(rows))


def noisy(seed: int, lift: float) -> BenchReport:
    """Thirty sessions whose cost varies, and is about `lift` higher."""
    chance = Random(seed)
    places = [(name, number) for name in ("one", "two") for number in range(1, 16)]
    return priced({place: chance.gauss(lift, 1_000) for place in places})


def test_the_direction_of_a_column_decides() -> None:
    """More kept is better, more refused and dearer is worse; what is neither only differs."""
    before = report_made({"tail": sums_of(2)})
    after = report_made({"tail": sums_of(3, 2_000, refused=1, odd=7, facts_calls=0)})
    assert verdicts(before, after) == {
        "score": BETTER, "kept": BETTER, "refused": WORSE, "cost": WORSE, "calls": SAME,
        "cpu": CLOCK, "odd": OTHER,
    }  # fmt: skip
    back = verdicts(after, before)
    assert back["kept"] == WORSE and back["cost"] == BETTER


def test_only_what_both_have_is_compared() -> None:
    """Sessions, strategies and columns of one alone are left out, and sessions whose messages
    changed, by their digest."""
    before = report_made({"tail": sums_of(), "loom": sums_of()}, seeds=(1, 2, 3))
    after = report_made({"tail": sums_of(3)}, seeds=(2, 3, 4))
    after = replace(after, columns=after.columns[:2])
    found = compared(before, after)
    assert {one.strategy for one in found} == {"tail"}
    assert {one.column for one in found} == {"score", "refused", "kept"}
    assert {one.pairs for one in found} == {4}
    first, *rest = after.rows
    other = replace(after, rows=(replace(first, session="other"), *rest))
    assert changed(before, after) == 0 and changed(before, other) == 1
    assert {one.pairs for one in compared(before, other)} == {3}


def test_chance_is_no_difference_and_a_shift_is() -> None:
    """Thirty sessions: noise alone is told apart from noise about a shift of its size."""
    chance = [verdicts(noisy(1, 0), noisy(seed, 0))["cost"] for seed in range(2, 22)]
    assert chance.count(SAME) >= 17
    assert verdicts(noisy(1, 0), noisy(2, 1_500))["cost"] == WORSE
    assert verdicts(noisy(1, 1_500), noisy(2, 0))["cost"] == BETTER


def test_seeds_of_one_scenario_are_no_more_evidence() -> None:
    """Scenarios that differ by chance, each seed of one alike: mostly told as no difference."""
    names = [f"s{number}" for number in range(8)]
    level = priced({(name, seed): 0 for name in names for seed in (1, 2, 3, 4)})
    wrong = 0
    for number in range(40):
        chance = Random(number)
        lift = {name: chance.gauss(0, 1_000) for name in names}
        lifted = priced({(name, seed): lift[name] for name in names for seed in (1, 2, 3, 4)})
        wrong += verdicts(level, lifted)["cost"] != SAME
    assert wrong <= 6


def test_what_is_lost_is_told_whatever_the_figures_say() -> None:
    """Missing runs, runs that fail now, and a scored figure that fell over too few sessions."""
    before = report_made({"tail": sums_of(), "loom": sums_of()})
    assert losses(before, before) == []
    tail = report_made({"tail": sums_of()})
    assert losses(before, tail) == ["loom at 8,192: 6 of 6 runs are missing"]
    failing = report_made({"tail": sums_of(), "loom": sums_of()}, failed="loom")
    assert losses(before, failing) == ["loom at 8,192: 6 runs fail that did not"]
    assert losses(failing, failing) == losses(failing, before) == []
    old, new = (
        report_made({"tail": sums_of(kept)}, scenarios=("one",), seeds=(1,)) for kept in (4, 1)
    )
    fell = "tail at 8,192: {} fell, over too few sessions"
    assert losses(old, new) == [fell.format("score"), fell.format("kept")]
    assert losses(new, old) == []
    assert {*verdicts(old, old).values()} == {FEW, CLOCK}  # one session shows nothing
