"""Two runs: what differs is told with its direction, and what chance explains is not."""

from __future__ import annotations

from random import Random

from msgspec.structs import replace

from loom_bench.report.compare import (
    BETTER,
    CLOCK,
    OTHER,
    SAME,
    WORSE,
    PairedDifference,
    changed,
    compared,
    losses,
)
from loom_bench.report.rows import BenchReport
from tests.kit.bench_rows import report_made, sums_of


def by_column(found: list[PairedDifference]) -> dict[str, str]:
    """Column → verdict."""
    return {one.column: one.verdict for one in found}


def test_the_direction_of_a_column_decides() -> None:
    """More kept is better, more refused and dearer is worse; what is neither only differs."""
    before = report_made({"tail": sums_of(2)})
    after = report_made({"tail": sums_of(3, 2_000, refused=1, odd=7, facts_calls=0)})
    told = by_column(compared(before, after))
    assert told == {
        "score": BETTER, "kept": BETTER, "refused": WORSE, "cost": WORSE, "calls": SAME,
        "cpu": CLOCK, "odd": OTHER,
    }  # fmt: skip
    back = by_column(compared(after, before))
    assert back["kept"] == WORSE and back["cost"] == BETTER


def test_only_what_both_have_is_compared() -> None:
    """Sessions, strategies and columns of one alone are left out."""
    before = report_made({"tail": sums_of(), "loom": sums_of()}, seeds=(1, 2, 3))
    after = report_made({"tail": sums_of(3)}, seeds=(2, 3, 4))
    after = replace(after, columns=after.columns[:2])
    found = compared(before, after)
    assert {one.strategy for one in found} == {"tail"}
    assert {one.column for one in found} == {"score", "refused", "kept"}
    assert {one.pairs for one in found} == {4}


def test_a_session_whose_messages_changed_is_no_pair() -> None:
    """The digest tells; those that did not change are compared."""
    before = report_made({"tail": sums_of()})
    first, *rest = before.rows
    after = replace(before, rows=(replace(first, session="other"), *rest))
    assert changed(before, before) == 0 and changed(before, after) == 1
    assert {one.pairs for one in compared(before, after)} == {5}


def noisy(seed: int, lift: float) -> BenchReport:
    """A run whose cost varies by the session, and is `lift` higher in each."""
    report = report_made({"tail": sums_of()}, seeds=tuple(range(1, 16)))
    chance = Random(seed)
    rows = [
        replace(row, sums={**row.sums, "micro_dollars": int(1e6 + chance.gauss(lift, 1_000))})
        for row in report.rows
    ]
    return replace(report, rows=tuple(rows))


def test_chance_is_no_difference_and_a_shift_is() -> None:
    """Thirty sessions: noise alone is told apart from noise about a shift of its size."""
    chance = [by_column(compared(noisy(1, 0), noisy(seed, 0)))["cost"] for seed in range(2, 22)]
    assert chance.count(SAME) >= 17
    assert by_column(compared(noisy(1, 0), noisy(2, 1_500)))["cost"] == WORSE
    assert by_column(compared(noisy(1, 1_500), noisy(2, 0)))["cost"] == BETTER


def test_seeds_of_one_scenario_are_no_more_evidence() -> None:
    """Scenarios that differ by chance, each seed of one alike: mostly told as no difference."""
    wrong = 0
    for seed in range(40):
        chance = Random(seed)
        names = tuple(f"s{number}" for number in range(8))
        lift = {name: chance.gauss(0, 1_000) for name in names}
        before = report_made({"tail": sums_of()}, scenarios=names, seeds=(1, 2, 3, 4))
        rows = [
            replace(row, sums={**row.sums, "micro_dollars": int(1e6 + lift[row.job.scenario])})
            for row in before.rows
        ]
        level = [replace(row, sums={**row.sums, "micro_dollars": 10**6}) for row in before.rows]
        first, second = (replace(before, rows=tuple(one)) for one in (level, rows))
        wrong += by_column(compared(first, second))["cost"] != SAME
    assert wrong <= 6


def test_what_is_lost_is_told_whatever_the_figures_say() -> None:
    """Missing runs, runs that fail now, and a scored figure that fell over too few sessions."""
    before = report_made({"tail": sums_of(), "loom": sums_of()})
    assert losses(before, before) == []
    assert losses(before, report_made({"tail": sums_of()})) == [
        "loom at 8,192: 6 of 6 runs are missing"
    ]
    failing = report_made({"tail": sums_of(), "loom": sums_of()}, failed="loom")
    assert losses(before, failing) == ["loom at 8,192: 6 runs fail that did not"]
    assert losses(failing, failing) == losses(failing, before) == []
    few = {"scenarios": ("one",), "seeds": (1,)}
    old, new = (report_made({"tail": sums_of(kept)}, **few) for kept in (4, 1))  # type: ignore[arg-type]
    assert losses(old, new) == [
        "tail at 8,192: score fell, over too few sessions",
        "tail at 8,192: kept fell, over too few sessions",
    ]
    assert losses(new, old) == []
