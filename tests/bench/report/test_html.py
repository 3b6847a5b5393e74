"""The page of a report: what it holds, and how it opens in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from loom_bench.judge import DrivenFault
from loom_bench.report.html import EXAMPLES, bench_page, page_data
from loom_bench.report.rows import BenchReport
from tests.kit.bench_rows import report_made, sums_of
from tests.kit.browser import Browser, browsing
from tests.kit.cases import all_cases
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


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests here."""
    with browsing(tmp_path_factory.mktemp("browser")) as opened:
        opened.call("POST", "/url", url="about:blank")  # a new tab fetches parts of its own
        yield opened


def told_of(text: str) -> tuple[DrivenFault, ...]:
    """A fault of these words."""
    return (DrivenFault("facts", 3, text),)


def texts(browser: Browser, selector: str) -> list[str]:
    """What each element shows that a selector finds."""
    script = "return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)"
    return list(browser.run(script, selector))


def test_a_few_faults_of_each() -> None:
    """At most so many of a judge in a scenario at a window, and of what ended the strategy."""
    faults = page_data(report()).faults
    of_one = [f for f in faults if (f.strategy, f.window, f.scenario) == ("head_tail", 8192, "one")]
    assert len(of_one) == 2 * EXAMPLES and of_one[0].text.startswith("failed: ")


def test_what_strategies_say_ends_nothing() -> None:
    """Hostile faults and names stand in no page as they are."""
    text = "".join(HOSTILE[:4]).replace("\ud800", "?")
    rows = [replace(row, faults=told_of(text), failed=text) for row in report().rows]
    made = bench_page(replace(report(), rows=tuple(rows)))
    assert made.count(b"</script>") == made.count(b"<script") == 2


@all_cases("dark", [False, True])
@all_cases(("width", "height"), [(1280, 800), (390, 844)])
def test_it_opens_quietly(
    browser: Browser, tmp_path: Path, width: int, height: int, dark: bool
) -> None:
    """No error on the console, nothing asked for but the page, nothing wider than it."""
    page = tmp_path / "bench.html"
    page.write_bytes(bench_page(report()))
    browser.logged(), browser.fetched()
    browser.open(page, width, height, dark)
    assert browser.logged() == []
    assert browser.fetched() == {page.as_uri()}
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_it_shows_what_was_found(browser: Browser, tmp_path: Path) -> None:
    """Ranks with marks, scores by scenario, a dot for each score, faults; another window too."""
    page = tmp_path / "bench.html"
    page.write_bytes(bench_page(report()))
    browser.open(page)
    assert browser.text("#verdict") == "loom ranks first"
    assert "tail (score 0.500, 0.500 below loom) beats loom" in browser.text("#beaten")
    rows = texts(browser, "#rank-table tbody tr")
    assert rows[0].startswith("1 loom\t1.000") and "6 runs failed" in "".join(rows)
    assert browser.run("return document.querySelectorAll('#rank-table td.best').length") > 1
    assert texts(browser, "#heat tbody th") == ["one", "two"]
    colours = browser.run(
        "return [...document.querySelectorAll('#heat tbody tr:first-child td')]"
        ".map(e => getComputedStyle(e).backgroundColor)"
    )
    assert len(set(colours)) == 4  # 1, 0.5, 0.25, none
    assert browser.run("return document.querySelectorAll('#scatter circle').length") == 3
    browser.run("document.querySelectorAll('#faults details')[1].open = true")
    assert "lost one" in browser.text("#faults")
    browser.click("#windows button:nth-child(2)")
    assert texts(browser, "#windows button[aria-pressed=true]") == ["32,000 tokens"]
    assert browser.logged() == []


def test_hostile_texts_are_only_text(browser: Browser, tmp_path: Path) -> None:
    """Nothing of them acts."""
    text = " ".join(HOSTILE[:4]).replace("\ud800", "?")
    rows = [
        replace(row, faults=told_of(text), job=replace(row.job, scenario=text))
        for row in report().rows
    ]
    page = tmp_path / "bench.html"
    page.write_bytes(bench_page(replace(report(), rows=tuple(rows))))
    browser.open(page)
    assert browser.run("return window.owned") is None
    assert browser.run("return document.images.length") == 0
    assert browser.logged() == []
