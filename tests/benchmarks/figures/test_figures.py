"""Figures that the documentation states: still so, and put where they belong."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.figures.command import (
    FIGURES,
    RUNS,
    differing,
    figures_of,
    filled,
    pages,
    report_of,
    written,
)
from benchmarks.figures.picture import picture
from loom_bench.errors import BadBench
from tests.kit.cases import SIMULATED, all_cases

KNOWN = {"one": {"value": 2, "shown": "2"}}


def test_pages_with_the_figures_as_they_are_stay() -> None:
    """Nothing is to be filled in: every page holds what docs/figures.json has."""
    for page in pages():
        text = page.read_text("utf-8")
        assert filled(text, written(), page.name) == text, page


def test_every_figure_is_written_down_once() -> None:
    """docs/figures.json has each figure of the table, and a name means one."""
    names = [one.name for one in FIGURES]
    assert len(names) == len(set(names))
    assert list(written()) == names
    assert {one.run for one in FIGURES} == set(RUNS)


@all_cases("run", RUNS if SIMULATED else ("seeds", "tools"))
def test_a_figure_is_as_it_is_written_down(run: str) -> None:
    """Measured anew it is within 2 % of what the pages state; what takes long is compared
    by `make simulate`, and written by `make figures`."""
    fresh = figures_of(run, report_of(run))
    assert fresh and differing(fresh, written()) == []


def test_only_what_stands_between_marks_is_replaced() -> None:
    """A number within a line, twice if it is there twice, and never across two marks."""
    text = "a <!-- figure one --><!-- /figure --> b <!-- figure one -->7 %<!-- /figure --> c"
    assert filled(text, KNOWN) == (
        "a <!-- figure one -->2<!-- /figure --> b <!-- figure one -->2<!-- /figure --> c"
    )


def test_an_empty_table_is_filled_and_takes_nothing_else() -> None:
    """Two tables that are empty at first: what stands between them stays."""
    seeds, tools = (f"<!-- figures {run} -->\n<!-- /figures -->\n" for run in ("seeds", "tools"))
    made = filled(f"{seeds}between\n{tools}", written())
    assert "\nbetween\n" in made and "| tokens of a reduced step |" in made
    assert made.count("| what | measured |") == 2 and filled(made, written()) == made


@pytest.mark.parametrize("mark", ["<!-- figure two -->", "<!-- figures two -->\n"])
def test_a_name_nobody_measures_is_refused(mark: str) -> None:
    """The error names the page, the mark and where names stand."""
    end = "<!-- /figures -->" if "figures" in mark else "<!-- /figure -->"
    with pytest.raises(BadBench, match=r"a\.md: <!-- figures? two -->: no .* see benchmarks/fig"):
        filled(mark + end, KNOWN, "a.md")


def test_a_figure_that_moved_is_told() -> None:
    """Within 2 % it is the same; beyond, or not written down, it is named with both values."""
    fresh = {"one": {"value": 2.03}, "two": {"value": 0}}
    assert differing(fresh, {"one": {"value": 2}, "two": {"value": 0}}) == []
    told = differing(fresh, {"one": {"value": 3}})
    assert told == [
        "one: 3 is written down, measured is 2.03",
        "two: None is written down, measured is 0",
    ]


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    """A session that ships, both its curves over its requests, as well-formed SVG."""
    to = tmp_path / "pressure.svg"
    assert picture(to, turns=12, window=8_192, json=True) == 0
    lines = ElementTree.parse(to).findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(one.attrib["points"].split()) for one in lines] == [12, 12]


def test_a_picture_needs_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 where it could not be written, with what to give."""
    assert picture(tmp_path / "none" / "a.svg") == picture(tmp_path / "a.png") == 2
    assert capsys.readouterr().err.count("give a file.svg in a folder that is there") == 2


def test_the_picture_in_readme_is_what_the_command_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its figures too."""
    to = tmp_path / "pressure.svg"
    picture(to, json=True)
    told = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    root = Path(__file__).resolve().parents[3]
    assert to.read_text("utf-8") == (root / "docs" / "pressure.svg").read_text("utf-8")
    said = f"{told['whole']:,} at the end without Loom, {told['loom_most']:,} at most with it"
    for page in ("README.md", "docs/index.md"):
        assert said in (root / page).read_text("utf-8")
