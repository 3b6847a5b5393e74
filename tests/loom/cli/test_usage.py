"""What makes no sense or finds nothing is told, with the words to type."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

import loom
from loom.cli.doctor.wiring import WiringChecks
from loom.home import record_project
from loom.hook.status import print_status_line
from loom_paging import FileStore, Journal
from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run

# Words, with DIR for a workspace and FILE for a recorded session; what the error names.
USAGES = [
    ("cat DIR read_9999", "read_9999"),
    ("cat DIR read_0001 --lines x-y", "x-y"),
    ("cat DIR read_0001 --pointer /a", "not JSON"),
    ("cat DIR read_0001 --lines 1 --grep a", "one part at a time"),
    ("gc DIR --ttl shell", "give"),
    ("gc DIR --ttl shell=soon", "give"),
    ("gc DIR --ttl message=5m", "message"),
    ("gc DIR --quota 5XB", "give"),
    ("log DIR --kind Frobbed", "Replied"),
    ("log DIR --limit 0", "--limit"),
    ("log DIR --turns --kind Heard", "--turns and --kind"),
    ("replay", "FILE"),
    ("replay FILE --preset bold", "--preset"),
    ("report none", "no such file"),
    ("report DIR --limit-mb 0", "--limit-mb"),
    ("signal DIR", "TEXT"),
    ("signal DIR hello --urgency soon", "soon"),
    ("top DIR --interval 0", "--interval"),
]


@all_cases(("words", "named"), USAGES)
def test_what_makes_no_sense(
    run: Run, replayed: Path, recorded: Path, home: Path, words: str, named: str
) -> None:
    """It is one line that says what is wrong, and exit 2; nothing is done."""
    places = {"DIR": replayed, "FILE": recorded / "short.jsonl", "''": ""}
    code, out, err = run(*(places.get(one, one) for one in words.split(" ")))
    assert (code, out) == (2, "") and named in err and err.count("\n") == 1
    assert not [*replayed.glob("inbox/*")]


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


@pytest.mark.parametrize("given", [(), ("1",)])
def test_diff_of_no_requests(run: Run, tmp_path: Path, given: tuple[str, ...]) -> None:
    """Without two numbers it says which there are, and a command that works where there are two."""
    folder = tmp_path / "w"
    with loom.open(folder, window=20_000) as ctx:
        for word in ("one", "two", "three"):
            ctx.user(word)
            ctx.turn()
            assert word != "one" or "there are 1" in run("diff", folder)[2]
    code, out, err = run("diff", folder, *given)
    assert (code, out) == (2, "") and "from 1 to 3" in err
    typed = err.partition("`loom ")[2].partition("`")[0].split()
    assert typed == ["diff", str(folder), "2", "3"] and run(*typed)[0] == 0


def held(tmp_path: Path, project: Path) -> Path:
    """A session of the hook in a state folder, of a project, with a page."""
    place = tmp_path / "state" / "hook" / "s1"
    place.parent.mkdir(parents=True)
    with loom.open(place, window=20_000) as ctx:
        ctx.user("word " * 20_000)
    record_project(place, str(project))
    return place


@pytest.mark.parametrize("told", [{}, {"workspace": {"project_dir": "PROJECT"}}, {"cwd": None}])
def test_a_status_line_without_a_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    told: dict[str, object],
) -> None:
    """The folder is that of the workspace that is told, else of the command itself."""
    project = tmp_path / "p"
    project.mkdir()
    held(tmp_path, project)
    monkeypatch.setenv("LOOM_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(tmp_path if "workspace" in told else project)
    event = json.dumps({"session_id": "s1", **told}).replace("PROJECT", str(project))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(event.encode())))
    assert print_status_line() == 0
    assert capsys.readouterr().out == "loom · 1 page\n"


def test_doctor_finds_a_proxy_a_client_does_not_ask(tmp_path: Path) -> None:
    """A client without an address of one is told of the proxy that runs beside it."""
    pytest.importorskip("uvicorn")
    from tests.serve.proxied import proxy

    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text("{}")
    with proxy(tmp_path / "ws", "http://127.0.0.1:9") as url:
        port = int(url.rpartition(":")[2])
        found = [*WiringChecks(tmp_path, tmp_path, {"PATH": ""}, port, "loom").check_results()]
    one = next(each for each in found if each.name == "Claude Code proxy")
    assert "none" not in one.told and f"one runs at http://127.0.0.1:{port}" in one.told
