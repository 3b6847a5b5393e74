"""A report as tables, sentences and a page: ranks, marks, who beats Loom, and nothing that acts."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from loom.report.html_page import is_report
from loom_bench.commands import tables
from loom_bench.errors import BadBench
from loom_bench.judge import DrivenFault, MetricColumn
from loom_bench.report.html import bench_page
from loom_bench.report.rows import BenchReport
from loom_bench.report.table import barred, by_window, margins, window_table
from tests.kit.bench_rows import report_made, sums_of
from tests.kit.cases import all_cases
from tests.loom.report.conftest import HOSTILE

TAIL, LOOM, DEAR = sums_of(1, 500), sums_of(4, 1_000, facts_calls=4), sums_of(4, 9_000)
THREE = {"tail": TAIL, "loom": LOOM, "dear": DEAR}


def test_ranks_and_marks() -> None:
    """Ranks go by score, then cost. All that share the best are marked, not where all are the same,
    nor for calls that nobody can make, nor for being cheap with a quarter of the score."""
    [at] = by_window(report_made(THREE))
    cells = dict(window_table(at).rows)
    assert [*cells] == [" 1 loom", " 2 dear", " 3 tail"]
    assert cells[" 1 loom"]["kept"] == "100.0%*" and cells[" 2 dear"]["kept"] == "100.0%*"
    assert cells[" 3 tail"]["kept"] == "25.0% " and cells[" 3 tail"]["cost"] == "50 "
    assert cells[" 1 loom"]["cost"] == "100*"
    assert not any("*" in row["refused"] + row["calls"] for row in cells.values())


@all_cases(
    ("given", "said"),
    [
        ({**THREE, "tail": sums_of(3, 500)},
         "tail (score 0.750, 0.250 below loom) beats loom: cost 0.5 of loom's"),
        ({"loom": sums_of(3), "more": sums_of(4)},
         "more (score 1.000, 0.250 above loom) beats loom: kept 25 points more"),
        ({"loom": sums_of(4), "same": sums_of(4, 500)},
         "same (score 1.000, as loom) beats loom: cost 0.5 of loom's"),
        ({"tail": sums_of()}, ""),  # no Loom
        ({"loom": LOOM, "tail": TAIL, "whole": sums_of(4, 10, refused=1)}, ""),
    ],
)  # fmt: skip
def test_who_beats_loom_is_told_with_its_score(given: dict[str, dict[str, int]], said: str) -> None:
    """By a clear margin, whatever else it lacks; not who is cheap for it forgets or is refused."""
    [at] = by_window(report_made(given))
    assert margins(at) == ([said] if said else [])
    if said:
        assert margins(by_window(report_made(given, failed=said.split()[0]))[0]) == []


def test_a_column_without_a_case_is_told_as_that(capsys: pytest.CaptureFixture[str]) -> None:
    """It takes no room, and is not told as one for which there was none."""
    made = report_made(THREE)
    made = replace(made, columns=(*made.columns, MetricColumn("lifted", "lifted", "rules_lifted")))
    tables.report(made, explain=False)
    said = capsys.readouterr().out
    assert "no case here asks for lifted" in said and "no room" not in said
    assert "lifted" not in dict(window_table(by_window(made)[0]).rows)[" 1 loom"]


def test_strategies_are_ranked_over_the_sessions_that_all_have() -> None:
    """An interrupted run: what one of them has alone counts for nobody, and the table says so."""
    whole = report_made(THREE)
    [at] = by_window(whole)
    assert window_table(at).title == "window 8,192" and at.sessions == at.planned == 6
    rows = list(whole.rows)
    # The last session has no `dear`, and `loom` keeps nothing there.
    last = [row for row in rows if (row.job.scenario, row.job.seed) == ("two", 3)]
    spoilt = [replace(row, sums={**row.sums, "facts_held": 0}) for row in last[:-1]]
    report = replace(whole, rows=(*(row for row in rows if row not in last), *spoilt))
    [at] = by_window(report)
    assert [*at.found] == ["loom", "dear", "tail"]
    assert {one.rows for one in at.found.values()} == {5}
    assert at.found["loom"].score == 1 and at.scores["two"]["loom"] == 1
    assert window_table(at).title == "window 8,192, partial: 5 of 6 sessions"
    assert b"partial: 5 of 6 sessions" in bench_page(report)
    [at] = by_window(replace(whole, rows=whole.rows[:1]))
    assert [*at.found] == ["tail"]


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    """All of it; anything else is refused by name."""
    report = report_made(THREE, failed="tail")
    place = tmp_path / "run.json"
    place.write_bytes(report.encoded())
    assert BenchReport.read(place) == report
    for text in ("", "{}", "[1]", '{"plan": 3}'):
        place.write_text(text)
        with pytest.raises(BadBench, match=r"run\.json"):
            BenchReport.read(place)
    if hasattr(os, "mkfifo"):  # nothing ever comes out of it
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(BadBench, match="no such file"):
            BenchReport.read(tmp_path / "pipe")


def test_a_barred_strategy_says_for_what() -> None:
    """It ranks last, is the best of nothing, and the page tells why."""
    made = report_made({"loom": sums_of(), "odd": sums_of(4, 10, odd=2)})
    columns = [replace(one, bars=one.name == "odd") for one in made.columns]
    report = replace(made, columns=tuple(columns))
    [at] = by_window(report)
    assert barred(at) == ["odd at 8,192 ranks last, barred: odd 12"]
    assert b"barred: odd 12" in bench_page(report)
    cost = [(name, row["cost"]) for name, row in window_table(at).rows]
    assert cost == [(" 1 loom", "100*"), (" 2 odd", "1 ")]


def test_a_page_shows_what_was_found_and_does_nothing() -> None:
    """Ranks with marks, scores by scenario, who beats Loom, columns and faults of each window.
    Hostile faults and names stand in it as text: it has no script and loads nothing."""
    given = {"loom": LOOM, "tail": sums_of(2, 500), "head_tail": sums_of(1, 510)}
    given["none"] = {"facts": 0, "micro_dollars": 0}
    report = report_made(given, windows=(8192, 32000), failed="head_tail")
    made = bench_page(report)
    text = made.decode()
    assert is_report(made) and "loom ranks first at 8,192" in text
    assert "tail (score 0.500, 0.500 below loom) beats loom" in text
    assert "<tr><td> 1 loom</td><td>1.000</td><td>100.0%*</td>" in text
    assert "6 failed" in text and text.count("<table>") == 4
    assert "kept: facts kept" in text and "facts: tail lost one" in text
    evil = " ".join(HOSTILE)
    faults = (DrivenFault("facts", 3, evil),)
    rows = [
        replace(row, faults=faults, failed=evil, job=replace(row.job, scenario=evil))
        for row in report.rows
    ]
    made = bench_page(replace(report, rows=tuple(rows)))
    tags = {b"<script", b"<img", b"<svg", b"<iframe", b"<a ", b"<link"}
    assert not [tag for tag in tags if tag in made.lower()]
    assert made.count(b"</style>") == made.count(b"</body>") == 1
    assert b"default-src 'none'" in made


def test_strategies_without_room_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the scores by scenario, as of figures: who has no column is named, with the window."""
    names = [f"a_strategy_of_the_name_{number}" for number in range(5)]
    tables.report(report_made(dict.fromkeys(names, sums_of())), explain=False)
    shown, said = capsys.readouterr().out.split("score by scenario")[1].split("no room for")
    said = " ".join(said.split())
    assert all((name in shown) != (f"{name} at 8,192" in said) for name in names)
    assert names[0] in shown and names[4] in said
