"""The page of a report: what it holds, and that nothing of what strategies say acts in it."""

from __future__ import annotations

from msgspec.structs import replace

from loom.report.page import is_report
from loom_bench.judge import DrivenFault
from loom_bench.report.html import bench_page
from loom_bench.report.rows import BenchReport
from tests.kit.bench_rows import report_made, sums_of
from tests.loom.report.conftest import HOSTILE

GIVEN = {
    "loom": sums_of(4, 1_000),
    "tail": sums_of(2, 500),
    "head_tail": sums_of(1, 510),
    "none": {"facts": 0, "micro_dollars": 0},
}


def report() -> BenchReport:
    """Two windows, one strategy that failed, one without a score."""
    return report_made(GIVEN, windows=(8192, 32000), failed="head_tail")


def test_it_shows_what_was_found() -> None:
    """Ranks with marks, scores by scenario, who beats Loom, columns and faults, of each window."""
    made = bench_page(report())
    text = made.decode()
    assert is_report(made) and "loom ranks first at 8,192" in text
    assert "tail (score 0.500, 0.500 below loom) beats loom" in text
    assert "<tr><td> 1 loom</td><td>1.000</td><td>100.0%*</td>" in text
    assert "6 failed" in text and text.count("<table>") == 4
    assert "kept: facts kept" in text and "facts: tail lost one" in text


def test_what_strategies_say_ends_nothing() -> None:
    """Hostile faults and names stand in the page as text: it has no script and loads nothing."""
    text = " ".join(HOSTILE)
    rows = [
        replace(
            row,
            faults=(DrivenFault("facts", 3, text),),
            failed=text,
            job=replace(row.job, scenario=text),
        )
        for row in report().rows
    ]
    made = bench_page(replace(report(), rows=tuple(rows)))
    tags = {b"<script", b"<img", b"<svg", b"<iframe", b"<a ", b"<link"}
    assert not [tag for tag in tags if tag in made.lower()]
    assert made.count(b"</style>") == made.count(b"</body>") == 1
    assert b"default-src 'none'" in made
