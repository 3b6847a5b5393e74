"""`loom hook`: the hook itself, and its place in the client's settings."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from loom.cli.hook import hook_command, install_hooks, settings_file, uninstall_hooks
from loom.errors import BadInput
from tests.kit.cases import all_cases
from tests.kit.hook_events import LOG, bash_event
from tests.loom.cli.conftest import Run

OWN = {"type": "command", "command": "echo hi"}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with homes of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOOM_HOME", str(tmp_path / "loom"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return tmp_path


def test_it_is_added_once_and_taken_out(run: Run, project: Path) -> None:
    """It says where, and whether there was anything to do; again, the file is not even written."""
    path = project / "home" / ".claude" / "settings.json"
    assert "not there" in run("hook", "--uninstall")[1] and not path.exists()
    code, out, err = run("hook", "--install")
    assert (code, err) == (0, "") and str(path) in out and "-m loom.hook" in out
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    assert "there already" in run("hook", "--install")[1]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    told = json.loads(run("hook", "--uninstall", "--json")[1])
    assert told["changed"] is True and told["settings"] == str(path)
    assert json.loads(path.read_text()) == {}


def test_whose_file_it_is(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's stands in the client's folder, wherever that is; the others in the project."""
    for scope, name in (("project", "settings.json"), ("local", "settings.local.json")):
        assert run("hook", "--install", "--scope", scope, "--above", "9000")[0] == 0
        assert "--above 9000" in (project / ".claude" / name).read_text()
    assert not (project / "home").exists()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(project / "c"))
    assert settings_file("user") == project / "c" / "settings.json"


def test_another_limit_takes_the_place_of_the_one_before(project: Path) -> None:
    """And so does another Python: what runs `loom.hook` is Loom's own. All else is kept."""
    path = project / "settings.json"
    old = {"type": "command", "command": "'/old venv/python' -P -m loom.hook --above 900 --dropped"}
    path.write_text(json.dumps({"hooks": {"PreCompact": [{"hooks": [old, OWN]}]}}))
    assert install_hooks(path, 20_000)
    groups = [one for of in json.loads(path.read_text())["hooks"].values() for one in of]
    commands = [run["command"] for one in groups for run in one["hooks"]]
    assert sorted(commands) == sorted([hook_command(20_000)] * 3 + ["echo hi"])
    assert hook_command(20_000).endswith(" --above 20000")
    assert hook_command(9, dropped=True).endswith(" --above 9 --dropped")
    assert uninstall_hooks(path)
    assert json.loads(path.read_text()) == {"hooks": {"PreCompact": [{"hooks": [OWN]}]}}


@all_cases(
    "text",
    ["{", "[]", "\xff", '{"hooks": 7}', '{"hooks": {"Stop": [7]}}', '{"hooks": {"Stop": {}}}'],
)
def test_a_file_that_is_none_of_its_kind_is_left(run: Run, project: Path, text: str) -> None:
    """It is told, and not a byte is changed."""
    path = project / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput, match="nothing was changed"):
        uninstall_hooks(path)
    code, _, err = run("hook", "--install", "--scope", "project")
    assert code == 2 and "settings.json" in err and "nothing was changed" in " ".join(err.split())
    assert path.read_bytes() == text.encode("latin-1")
    assert [*path.parent.iterdir()] == [path]


def test_the_command_imports_nothing_from_the_folder_it_runs_in(project: Path) -> None:
    """A project with a `loom` or a `json` of its own does not get in its way."""
    for name in ("json", "loom"):
        (project / f"{name}.py").write_text("raise SystemExit(7)")
    done = subprocess.run(
        shlex.split(hook_command()), input=b"{}", capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_it_answers_an_event(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an option it is the hook: JSON in, JSON out."""
    given = io.BytesIO(json.dumps(bash_event(LOG)).encode())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=given))
    code, out, _ = run("hook")
    assert code == 0 and "updatedToolOutput" in json.loads(out)["hookSpecificOutput"]
