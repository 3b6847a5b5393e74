"""Hooks in Claude Code's settings: added once, taken away exactly, everything else kept."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loom.cli.exits import BadUsage
from loom.cli.hook_settings import command, install, settings_file, uninstall
from tests.kit.cases import all_cases

OWN: dict[str, Any] = {"type": "command", "command": "echo hi"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A settings file that is not there yet."""
    return tmp_path / ".claude" / "settings.json"


def commands(path: Path) -> list[str]:
    """The commands of all hooks."""
    hooks = json.loads(path.read_text())["hooks"]
    return [run["command"] for groups in hooks.values() for one in groups for run in one["hooks"]]


def test_installing_again_changes_nothing(path: Path) -> None:
    """The file stays as it is to the byte, and is not written."""
    install(path)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    assert not install(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_another_limit_takes_the_place_of_the_one_before(path: Path) -> None:
    """And so does another Python: what runs `loom.hook` is Loom's own."""
    path.parent.mkdir()
    old = {"type": "command", "command": "'/old venv/python' -P -m loom.hook --above 900"}
    path.write_text(json.dumps({"hooks": {"PreCompact": [{"hooks": [old, OWN]}]}}))
    assert install(path, 20_000)
    assert sorted(commands(path)) == sorted([command(20_000)] * 3 + ["echo hi"])
    assert command(20_000).endswith(" --above 20000")
    assert uninstall(path)
    assert json.loads(path.read_text()) == {"hooks": {"PreCompact": [{"hooks": [OWN]}]}}


@all_cases(
    "text",
    ["{", "[]", "\xff", '{"hooks": 7}', '{"hooks": {"Stop": [7]}}', '{"hooks": {"Stop": {}}}'],
)
def test_a_file_that_is_none_of_its_kind_is_left(path: Path, text: str) -> None:
    """It is told, and not a byte is changed."""
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    for change in (install, uninstall):
        with pytest.raises(BadUsage, match="nothing was changed"):
            change(path)
    assert path.read_bytes() == text.encode("latin-1")
    assert [*path.parent.iterdir()] == [path]


def test_whose_file_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's stands in the client's folder, wherever that is; the others in the project."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert settings_file("user") == tmp_path / ".claude" / "settings.json"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "c"))
    assert settings_file("user") == tmp_path / "c" / "settings.json"
    assert settings_file("project") == Path(".claude/settings.json")
    assert settings_file("local") == Path(".claude/settings.local.json")


def test_the_command_imports_nothing_from_the_folder_it_runs_in(tmp_path: Path) -> None:
    """A project with a `loom` or a `json` of its own does not get in its way."""
    for name in ("json", "loom"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(7)")
    done = subprocess.run(
        shlex.split(command()), input=b"{}", cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
