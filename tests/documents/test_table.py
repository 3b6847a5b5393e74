"""The page `docs/documents.md` and the tests beside this file say the same."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import loom
from benchmarks.__main__ import app as benchmarks_app
from loom.cli.app import app as loom_app
from tests.kit.opened import Open
from tests.kit.pressed import Life
from tests.kit.step import act

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "documents.md"
HEAD = ["Requirement", "In Loom", "See it", "Result", "Test"]
OPEN = "**open**"
QUOTED = re.compile(r"(?<!`)`([^`]+)`(?!`)")


class Row(NamedTuple):
    """A row of the page: one requirement of a document."""

    requirement: str
    done: str
    see: str
    result: str
    test: str


def rows() -> list[Row]:
    """The rows of every table of the page."""
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [Row(*one) for one in cells if one != HEAD and not one[0].startswith("---")]


ROWS = rows()


@pytest.fixture(scope="module")
def tests() -> set[str]:
    """The tests of rows, each with its parameters."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "--collect-only"]
    done = subprocess.run(
        [*command, str(Path(__file__).parent)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    start, own = "tests/documents/", ("test_table.py", "test_names.py")  # of pages as a whole
    lines = (line for line in done.stdout.splitlines() if line.startswith(start))
    return {line.removeprefix(start) for line in lines if not line.startswith(own, len(start))}


def named(test: str, tests: set[str]) -> list[str]:
    """The tests a row names: one, or one with all its parameters."""
    return [name for name in tests if name == test or name.startswith(f"{test}[")]


def test_rows_and_tests_name_each_other(tests: set[str]) -> None:
    """Every row names a test that is there, and every test is named by a row; none is open."""
    assert len(ROWS) > 100
    assert [row.test for row in ROWS if not named(row.test.strip("`"), tests)] == []
    assert {name for row in ROWS for name in named(row.test.strip("`"), tests)} == tests
    assert not [row for row in ROWS if OPEN in row.result]


def test_names_are_real() -> None:
    """What does it in Loom is a module or a name that can be imported."""
    for row in ROWS:
        names = QUOTED.findall(row.done)
        assert names, row
        for name in names:
            resolved(name)


def test_the_path_of_a_result_names_what_is_there() -> None:
    """Each step on docs/design.md from a result to the next request is where the page says."""
    page = (ROOT / "docs" / "design.md").read_text("utf-8")
    steps = re.findall(r"^\| \d+ \|.*\| (.+) \|$", page, re.MULTILINE)
    names = [name for step in steps for name in QUOTED.findall(step)]
    assert len(steps) == 19 and all(callable(resolved(name)) for name in names)


def resolved(name: str) -> object:
    """The module, or what stands in one, of a dotted name."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise AssertionError(f"{name} is not there")


@pytest.fixture
def known(opened: Open, lived: Life) -> Iterator[dict[str, Any]]:
    """What the calls of the page stand on."""
    ctx = opened(goal="Look.", capabilities=[loom.Toolbox()])
    step = act(ctx, "Bash", {"command": "make"}, "fine")
    with ctx.agents.spawn("Look.", durable=False) as child:
        yield {
            "loom": loom,
            "ctx": ctx,
            "turn": ctx.turn(),
            "step": step,
            "child": child,
            "box": ctx.tools.toolbox,
            "cut": lived.cuts[0],
            "print": print,
        }


def test_ways_to_see_it_are_real(known: dict[str, Any]) -> None:
    """What shows a row is a command there is, or a call on names there are."""
    for row in ROWS:
        (way,) = QUOTED.findall(row.see)
        words = way.split()
        if words[:3] == ["python", "-m", "benchmarks"]:
            assert words[3] in list(benchmarks_app), row
        elif words[0] == "loom":
            assert words[1] in list(loom_app), row
        else:
            assert unknown(ast.parse(way, mode="eval"), known) == [], row


def unknown(call: ast.Expression, known: dict[str, Any]) -> list[str]:
    """The names of a call that lead nowhere, as far as they can be followed without making it."""
    missing = []
    for node in ast.walk(call):
        chain: list[str] = []
        while isinstance(node, ast.Attribute):
            chain.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            continue
        found = known.get(node.id)
        for part in [node.id, *reversed(chain)][1:]:
            if isinstance(found, str) or not hasattr(found, part):
                missing.append(f"{node.id}: {part}")
                break
            found = getattr(found, part)
        if node.id not in known:
            missing.append(node.id)
    return missing


# A test whose row states a measured figure → its name in the report, and what to multiply it by.
FIGURES = {
    "test_loop.py::test_metric[step]": ("tokens_per_step", 1),
    "test_loop.py::test_metric[ten steps]": ("tokens_10_steps", 1),
    "test_loop.py::test_metric_even_steps": ("tokens_10_even_steps", 1),
    "test_history.py::test_savings[reads]": ("saved_5_reads", 100),
    "test_history.py::test_savings[searches]": ("saved_10_searches", 100),
    "test_history.py::test_savings[history]": ("saved_20_steps", 100),
    "test_history.py::test_example": ("example_before", 1),
    "test_history.py::test_recovery": ("recovered", 100),
}


@pytest.mark.exact
@pytest.mark.parametrize("test", FIGURES)
def test_figures_are_those_measured(measured: dict[str, Any], test: str) -> None:
    """The figure of a row is within 3 % of the one that `python -m benchmarks seeds` prints."""
    (row,) = (row for row in ROWS if row.test.strip("`") == test)
    name, times = FIGURES[test]
    stated = re.search(r"\d[\d,]*", row.result)
    assert stated is not None
    assert int(stated[0].replace(",", "")) == pytest.approx(measured[name] * times, rel=0.03)
