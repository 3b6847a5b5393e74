"""`loom hook`: the hook itself, and its place in the client's settings."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.kit.hook_events import LOG, bash_event
from tests.loom.cli.conftest import Run


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with homes of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOOM_HOME", str(tmp_path / "loom"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return tmp_path


def test_it_is_added_once_and_taken_out(run: Run, project: Path) -> None:
    """It says where, and whether there was anything to do."""
    path = project / "home" / ".claude" / "settings.json"
    code, out, err = run("hook", "--install")
    assert (code, err) == (0, "") and str(path) in out and "-m loom.hook" in out
    assert "there already" in run("hook", "--install")[1]
    told = json.loads(run("hook", "--uninstall", "--json")[1])
    assert told["changed"] is True and told["settings"] == str(path)
    assert "not there" in run("hook", "--uninstall")[1]
    assert json.loads(path.read_text()) == {}


def test_a_scope(run: Run, project: Path) -> None:
    """The project's settings, and its user's own, are other files."""
    for scope, name in (("project", "settings.json"), ("local", "settings.local.json")):
        assert run("hook", "--install", "--scope", scope, "--above", "9000")[0] == 0
        assert "--above 9000" in (project / ".claude" / name).read_text()
    assert not (project / "home").exists()


@pytest.mark.parametrize("given", [("--install", "--uninstall"), ("--install", "--above", "10")])
def test_bad_usage(run: Run, project: Path, given: tuple[str, ...]) -> None:
    """It is exit 2, with nothing written."""
    assert run("hook", *given)[0] == 2
    assert [*project.iterdir()] == []


def test_settings_that_cannot_be_changed_are_exit_2(run: Run, project: Path) -> None:
    """They are named, and stay as they are."""
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text("{")
    code, _, err = run("hook", "--install", "--scope", "project")
    assert code == 2 and "settings.json" in err


def test_it_answers_an_event(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an option it is the hook: JSON in, JSON out."""
    given = io.BytesIO(json.dumps(bash_event(LOG)).encode())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=given))
    code, out, _ = run("hook")
    assert code == 0 and "updatedToolOutput" in json.loads(out)["hookSpecificOutput"]
