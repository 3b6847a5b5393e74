"""`python -m benchmarks secrets`: the matrix, its exit code, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from msgspec import json

from benchmarks.__main__ import app
from benchmarks.secrets import matrix
from benchmarks.secrets.clean import CleanText
from benchmarks.secrets.command import measured
from benchmarks.secrets.planted import Planted
from benchmarks.secrets.positions import POSITIONS
from benchmarks.secrets.report import cells

MODULE = "benchmarks.secrets.made_for_a_test"
TREES = ("oak", "elm", "ash", "fir", "yew", "box", "bay", "fig", "nut", "may")


def run(*given: str) -> int:
    """The exit code of the command."""
    with pytest.raises(SystemExit) as ended:
        app(["secrets", *given])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def report(capsys: pytest.CaptureFixture[str]) -> Any:
    """The JSON object of the last line."""
    return json.decode(capsys.readouterr().out.splitlines()[-1])


@pytest.fixture
def generator(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second generator of a secret that rules know and of one they cannot."""

    def known(rng: Random) -> Planted:
        token = "ghp_" + "".join(rng.choices("abcdefghijkXYZ0123456789", k=36))
        return Planted(f"export GITHUB_TOKEN={token}", token)

    def unknown(rng: Random) -> Planted:
        words = " ".join(rng.sample(TREES, 8))
        return Planted(f"we sat under {words} in May", words)

    module = ModuleType(MODULE)
    module.KINDS = {"known": known, "unknown": unknown}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, MODULE, module)
    monkeypatch.setitem(matrix.GENERATORS, "second", (MODULE, 0.9))


GIVEN = ("--generator", "second", "--workers", "1", "--positions", "note,result")


@pytest.mark.usefixtures("generator")
def test_clean_and_leaking_cells(capsys: pytest.CaptureFixture[str]) -> None:
    """A secret no rule knows leaks in each position and fails the run; the others are clean."""
    assert run(*GIVEN, "--json") == 1
    found = report(capsys)
    assert (found["clean"], found["cells"], found["share"]) == (2, 4, 0.5)
    assert found["by_kind"] == {"known": [2, 2], "unknown": [0, 2]}
    assert found["by_position"] == {"note": [1, 2], "result": [1, 2]}
    assert set(found["leaks"]["note"]) == {"unknown"} and not found["failed"]
    assert "leak in most positions: unknown" in cells(found)


@pytest.mark.usefixtures("generator")
def test_all_clean(capsys: pytest.CaptureFixture[str]) -> None:
    """The run passes when the share is reached; tables are at most 80 columns wide."""
    assert run(*GIVEN, "--kinds", "known") == 0
    out = capsys.readouterr().out.splitlines()
    assert max(map(len, out[:-1])) <= 80
    assert "100.00% of 2 cells clean" in "\n".join(out)


def test_no_redaction_leaks() -> None:
    """Without rules a secret the rules know leaks too."""
    (column,) = matrix.columns("first", 1, ["github-classic"], ["result"], 1, ())
    assert column.clean == () and set(column.leaks) == {"github-classic"}


def test_a_position_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells are failed, not clean."""

    def raises(*given: object) -> dict[str, str]:
        raise OSError("no room")

    monkeypatch.setitem(POSITIONS, "result", raises)
    (column,) = matrix.columns("first", 1, ["jwt"], ["result"], 1)
    assert column.clean == () and column.failed == {"jwt": "OSError: no room"}


def test_a_generator_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told plainly, and nothing runs."""
    monkeypatch.setitem(matrix.GENERATORS, "second", ("benchmarks.secrets.nobodys", 0.9))
    assert run("--generator", "second") == 2
    assert "there is no benchmarks.secrets.nobodys" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--kinds", "nothing"), "--kinds nothing: there are"),
        (("--positions", "note,nowhere"), "--positions nowhere: there are"),
        (("a-folder",), "are for --clean"),
        (("a-folder", "--clean"), "a-folder: not there"),
    ],
)
def test_what_is_refused(
    given: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names nobody knows, and folders without --clean: exit 2 with the reason."""
    assert run(*given) == 2
    assert said in capsys.readouterr().err


def test_clean_counts_what_is_replaced() -> None:
    """Replacements are counted by source, each distinct text once, with the share per 20 MB."""
    token = "ghp_" + "aB3dE5gH7jK9" * 3
    given = [CleanText("s", "a.py", f"x = '{token}'\n"), CleanText("s", "b.py", f"y = '{token}'\n")]
    found = measured([*given, CleanText("t", "tests/c.py", token), CleanText("t", "d", "plain")])
    assert (found["replaced"], found["real_looking"]) == (2, 1)
    assert [one["times"] for one in found["hits"]] == [2]
    assert found["sources"]["t"]["real_looking"] == 1 and found["per_20_mb"] > 1


def test_no_text_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without texts shows nothing, and is refused."""
    assert run("--clean", str(tmp_path)) == 2
    assert "no text" in capsys.readouterr().err
