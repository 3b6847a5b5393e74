"""Tables of a report: ranks, marks, what stays where there is little room, and who beats Loom."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from loom_bench.errors import BadBench
from loom_bench.report.html import bench_page
from loom_bench.report.margins import margins
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import (
    barred,
    by_window,
    scores,
    shared_by_window,
    window_tables,
)
from tests.kit.bench_rows import report_made, sums_of

THREE = {
    "tail": sums_of(1, 500),
    "loom": sums_of(4, 1_000, facts_calls=4),
    "dear": sums_of(4, 9_000),
}


def test_ranks_go_by_score_then_cost() -> None:
    """The cheaper of two with the same score comes first."""
    assert [*by_window(report_made(THREE))[8192]] == ["loom", "dear", "tail"]
    [table] = window_tables(report_made(THREE))
    assert [name for name, _ in table.rows] == [" 1 loom", " 2 dear", " 3 tail"]


def test_the_best_is_marked() -> None:
    """All that share it; not where all are the same, nor for calls that nobody can make."""
    [table] = window_tables(report_made(THREE))
    cells = dict(table.rows)
    assert cells[" 1 loom"]["kept"] == "100.0%*" and cells[" 2 dear"]["kept"] == "100.0%*"
    assert cells[" 3 tail"]["kept"] == "25.0% " and cells[" 3 tail"]["cost"] == "50 "
    assert cells[" 1 loom"]["cost"] == "100*"  # the tail is cheaper and knows a quarter
    assert not any("*" in row["refused"] + row["calls"] for row in cells.values())


def test_who_beats_loom_is_told_with_its_score() -> None:
    """By a clear margin, whatever else it lacks; Loom itself and a failed one are not."""
    given = {**THREE, "tail": sums_of(3, 500)}
    [said] = margins(report_made(given))[8192]
    assert said == "tail (score 0.750, 0.250 below loom) beats loom: cost 0.5 of loom's"
    [said] = margins(report_made({"loom": sums_of(3), "more": sums_of(4)}))[8192]
    assert said.startswith("more (score 1.000, 0.250 above loom) beats loom: kept 25 points")
    [said] = margins(report_made({"loom": sums_of(4), "same": sums_of(4, 500)}))[8192]
    assert said.startswith("same (score 1.000, as loom) beats loom: cost 0.5")
    assert margins(report_made(given, failed="tail")) == {8192: []}
    assert margins(report_made({"tail": sums_of()})) == {8192: []}


def test_what_is_cheap_for_it_forgets_beats_nobody() -> None:
    """Below half of Loom's score, and where requests are refused: no sentence, no mark."""
    given = {"loom": sums_of(4, 1_000), "tail": sums_of(1, 500), "whole": sums_of(4, 10, refused=1)}
    report = report_made(given)
    assert margins(report) == {8192: []}
    [table] = window_tables(report)
    cost = {name: cells["cost"] for name, cells in table.rows}
    assert cost == {" 1 whole": "1 ", " 2 loom": "100*", " 3 tail": "50 "}


def test_strategies_are_ranked_over_the_sessions_that_all_have() -> None:
    """An interrupted run: what one of them has alone counts for nobody, and the table says so."""
    whole = report_made(THREE)
    assert not any(one.partial for one in shared_by_window(whole).values())
    rows = list(whole.rows)
    # The last session has no `dear`, and `loom` keeps nothing there.
    last = [row for row in rows if (row.job.scenario, row.job.seed) == ("two", 3)]
    spoilt = [replace(row, sums={**row.sums, "facts_held": 0}) for row in last[:-1]]
    report = replace(whole, rows=(*(row for row in rows if row not in last), *spoilt))
    found = by_window(report)[8192]
    assert [*found] == ["loom", "dear", "tail"] and {one.rows for one in found.values()} == {5}
    assert found["loom"].score == 1 and scores(report, 8192)["two"]["loom"] == 1
    [table] = window_tables(report)
    assert table.title == "window 8,192, partial: 5 of 6 sessions"
    assert b"partial: 5 of 6 sessions" in bench_page(report)
    alone = replace(whole, rows=whole.rows[:1])
    assert [*by_window(alone)[8192]] == ["tail"]


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    """All of it; anything else is refused by name."""
    report = report_made(THREE, failed="tail")
    report.write(tmp_path / "run.json")
    assert BenchReport.read(tmp_path / "run.json") == report
    for text in ("", "{}", "[1]", '{"plan": 3}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(BadBench, match=r"bad\.json"):
            BenchReport.read(tmp_path / "bad.json")
    with pytest.raises(BadBench, match=r"none\.json"):
        BenchReport.read(tmp_path / "none.json")
    if hasattr(os, "mkfifo"):  # nothing ever comes out of it
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(BadBench, match="no such file"):
            BenchReport.read(tmp_path / "pipe")


def test_a_barred_strategy_says_for_what() -> None:
    """It ranks last, is the best of nothing, and the page and the terminal tell why."""
    made = report_made({"loom": sums_of(), "odd": sums_of(4, 10, odd=2)})
    columns = [replace(one, bars=one.name == "odd") for one in made.columns]
    report = replace(made, columns=tuple(columns))
    assert [*barred(made)] == []
    assert [*barred(report)] == ["odd at 8,192 ranks last, barred: odd 12"]
    assert b"barred: odd 12" in bench_page(report)
    [table] = window_tables(report)
    assert [(name, row["cost"]) for name, row in table.rows] == [
        (" 1 loom", "100*"),
        (" 2 odd", "1 "),
    ]
