"""Where sessions without a folder of their own are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.home import folder, home


def test_the_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LOOM_HOME before XDG_STATE_HOME before ~/.local/state; a relative XDG path does not count."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    monkeypatch.delenv("LOOM_HOME", raising=False)
    assert home() == tmp_path / "s" / "loom"
    monkeypatch.setenv("LOOM_HOME", "~/mine")
    assert home() == tmp_path / "mine"
    monkeypatch.setenv("LOOM_HOME", "")
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert home() == tmp_path / ".local" / "state" / "loom"
    assert not home().exists()


def test_a_folder_is_its_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It and what is made above it have mode 0700; made again it stays."""
    monkeypatch.setenv("LOOM_HOME", str(tmp_path / "a" / "b"))
    for _ in range(2):
        made = folder("hook")
        assert made == tmp_path / "a" / "b" / "hook"
        assert [one.stat().st_mode & 0o777 for one in (made, home())] == [0o700, 0o700]
