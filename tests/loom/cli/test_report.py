"""`loom report`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.report.page import is_report
from tests.kit.rich_workspace import rich

Run = Callable[..., tuple[int, str, str]]


def test_a_workspace_becomes_a_page(run: Run, replayed: Path, tmp_path: Path) -> None:
    """One line says what was written; the file is its owner's, and nothing lies beside it."""
    out = tmp_path / "r.html"
    code, told, err = run("report", replayed, "-o", out)
    assert (code, err) == (0, "") and "62 requests" in told
    assert is_report(out.read_bytes()[:2_000])
    assert out.stat().st_mode & 0o777 == 0o600 and [*tmp_path.iterdir()] == [out]


def test_the_workspace_is_not_touched(run: Run, workspace: Path, tmp_path: Path) -> None:
    """It is read without a lock, and no file in it changes."""

    def held() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}

    before = held()
    assert run("report", workspace, "-o", tmp_path / "r.html")[0] == 0
    assert held() == before


def test_what_is_no_report_is_not_replaced(run: Run, replayed: Path, tmp_path: Path) -> None:
    """A report is, anything else only with --force."""
    out = tmp_path / "r.html"
    out.write_text("mine")
    code, _, err = run("report", replayed, "-o", out)
    assert code == 2 and "--force" in err and out.read_text() == "mine"
    assert run("report", replayed, "-o", out, "--force")[0] == 0
    assert run("report", replayed, "-o", out)[0] == 0
    code, _, err = run("report", replayed, "-o", replayed / "outputs" / "r.html")
    assert code == 2 and "lies in a workspace" in err
    os.mkfifo(tmp_path / "pipe")
    for more in ((), ("--force",)):
        assert run("report", replayed, "-o", tmp_path / "pipe", *more)[0] == 2
    assert (tmp_path / "pipe").is_fifo()
    code, _, err = run("report", replayed, "-o", tmp_path)
    assert code == 2 and "is a folder" in err
    code, _, err = run("report", replayed, "-o", tmp_path / "no" / "r.html")
    assert code == 2 and "make it first" in err


def test_json_is_the_data(run: Run, replayed: Path, tmp_path: Path) -> None:
    """And no page is written."""
    code, told, _ = run("report", replayed, "--json")
    [agent] = json.loads(told)["agents"]
    assert code == 0 and len(agent["turns"]) == 62 and agent["cuts"] and agent["lanes"]


def test_a_recorded_session_is_replayed(
    run: Run, recorded: Path, replayed: Path, tmp_path: Path
) -> None:
    """Its requests are those of the same replay in a workspace, which was asked for one more."""
    made = [
        json.loads(run("report", *given, "--json")[1])["agents"][0]
        for given in ((recorded / "long.jsonl", "--window", "6000"), (replayed,))
    ]
    sizes = [[turn["tokens"] for turn in agent["turns"]] for agent in made]
    assert sizes[0] == sizes[1][:-1] and made[0]["state"] == "replayed"


def test_a_file_that_is_no_session_is_skipped(run: Run, recorded: Path, tmp_path: Path) -> None:
    """The page is made of the others, and it is told; alone it is an error."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes((recorded / "short.jsonl").read_bytes())
    (folder / "b.jsonl").write_bytes(b"\xff\xfe nothing\n")
    code, out, err = run("report", folder, "-o", tmp_path / "r.html")
    assert code == 0 and out.startswith("wrote ") and "skipped" in err and "b.jsonl" in err
    code, _, err = run("report", folder / "b.jsonl", "-o", tmp_path / "s.html")
    assert code == 2 and "not UTF-8" in err and not (tmp_path / "s.html").exists()


def test_a_folder_of_sessions_and_of_workspaces(
    run: Run, recorded: Path, replayed: Path, tmp_path: Path
) -> None:
    """Each is one of the page's agents."""
    _, told, _ = run("report", recorded, "--window", "6000", "--json")
    assert [one["name"] for one in json.loads(told)["agents"]] == ["long", "short"]
    for name in "ab":
        shutil.copytree(replayed, tmp_path / "all" / name)
    _, told, _ = run("report", tmp_path / "all", "--json")
    assert [one["name"] for one in json.loads(told)["agents"]] == ["a", "b"]


def test_agents_below_are_told(run: Run, tmp_path: Path) -> None:
    """As a tree: each names the one above; one that is damaged is told, with exit code 1."""
    place = rich(tmp_path / "w")
    code, told, _ = run("report", place, "--json")
    agents = json.loads(told)["agents"]
    assert code == 0
    assert [(one["name"], one["above"]) for one in agents] == [
        ("w", -1),
        ("one", 0),
        ("two", 0),
        ("forks/copy", 0),
    ]
    next((place / "agents" / "two" / "journal").iterdir()).write_text("no journal\n" * 9)
    code, told, err = run("report", place, "-o", tmp_path / "r.html")
    assert code == 1 and "two: " in err


def test_what_is_left_out_is_told(run: Run, replayed: Path, tmp_path: Path) -> None:
    """On stderr as in the page."""
    code, _, err = run("report", replayed, "-o", tmp_path / "r.html", "--limit-mb", "0.09")
    assert code == 0 and "left out" in err and "--limit-mb" in err


@pytest.mark.parametrize(
    ("given", "said"),
    [(("none",), "no such file"), ((".", "--limit-mb", "0"), "--limit-mb")],
)
def test_what_makes_no_sense(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], said: str
) -> None:
    """Exit code 2, and what would be right."""
    monkeypatch.chdir(tmp_path)
    code, _, err = run("report", *given)
    assert code == 2 and said in err


def test_a_folder_without_anything(run: Run, tmp_path: Path) -> None:
    """Neither a workspace nor a session is there."""
    code, _, err = run("report", tmp_path)
    assert code == 2 and "no workspace" in err
