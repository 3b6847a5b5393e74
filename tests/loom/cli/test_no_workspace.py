"""Places in which no command finds a workspace, or nothing in one."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

import loom
from loom_paging import FileStore, Journal
from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run

COMMANDS = [
    ("stat",), ("log",), ("pages",), ("context",), ("show",), ("check",), ("gc", "--yes"), ("ps",),
    ("top", "--once"), ("cat", "step_0001"), ("signal", "hello"),
]  # fmt: skip


@all_cases("words", COMMANDS)
def test_a_place_that_is_no_workspace(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    """One that is not there, and one that holds something else: exit 2, named, with what to do, and
    nothing is made in either."""
    (tmp_path / "notes").mkdir()
    for name, why in (("nowhere", "no such folder"), ("notes", "no journal folder")):
        code, out, err = run(words[0], tmp_path / name, *words[1:], "--json")
        assert code == 2 and str(tmp_path / name) in err and why in err and "loom ps" in err
        assert json.loads(out)["kind"] == "FileNotFoundError"
    assert [*tmp_path.rglob("*")] == [tmp_path / "notes"]


@all_cases("words", [("stat",), ("log",), ("pages",), ("top",), ("top", "--once")])
def test_an_empty_journal(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    """A workspace nothing was ever committed to has no numbers to show."""
    (tmp_path / "journal").mkdir()
    code, out, err = run(words[0], tmp_path, *words[1:])
    assert (code, out) == (2, "") and "no commit" in err


def test_a_record_of_a_newer_loom(run: Run, tmp_path: Path) -> None:
    """It is bad input, with the commit and what to do; `loom ps` tells the others all the same."""
    child = tmp_path / "w" / "agents" / "new"
    for folder in (tmp_path / "w", child):
        loom.open(folder, window=8_000, durable=False).close()
    journal = Journal.open(FileStore(child), write=True)
    number = journal.commit(b'[{"type":"Dreamt"}]', [], 1)
    for words in (("stat", child), ("top", child, "--once")):
        code, out, err = run(*words)
        assert (code, out) == (2, "") and f"commit {number}" in err and "newer Loom" in err
    code, out, _ = run("ps", tmp_path / "w", "--json")
    root = json.loads(out)
    assert code == 2 and root["state"] == "idle" and "newer Loom" in root["agents"][0]["why"]


@pytest.mark.parametrize("names", [("only one",), ("older", "it's new")])
def test_a_folder_of_workspaces_is_told_with_the_command_for_the_newest(
    run: Run, tmp_path: Path, names: tuple[str, ...]
) -> None:
    """The same words again, to be copied into a shell as they stand."""
    for at, name in enumerate(names):
        loom.open(tmp_path / name, window=8_000).close()
        os.utime(tmp_path / name / "journal", (at, at))
    code, _, err = run("log", tmp_path, "--turns", "--limit", "3")
    command = shlex.split(re.findall("`(.*)`", err)[0])
    assert code == 2
    assert command == ["loom", "log", str(tmp_path / names[-1]), "--turns", "--limit", "3"]
