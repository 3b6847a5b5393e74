"""A sweep over folders without a session is a mistake of the caller, not a clean report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.swept.command import sweep as command

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("held", [(), ("notes.txt", "picture.png"), ("deep/er/notes.txt",)])
def test_no_session_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], held: tuple[str, ...]
) -> None:
    """It exits with 2 and says that there is no session; no report is made."""
    for name in held:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("no session\n")
    assert command(sessions=[tmp_path], windows="8192", workers=1) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "no session" in err


def test_one_session_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty folder beside one that holds a session is no mistake."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "one.jsonl").write_text('{"role": "user", "content": "hello"}\n')
    folders = [tmp_path / "empty", tmp_path / "full"]
    assert command(sessions=folders, windows="8192", workers=1, json=True) == 0
    assert '"turns": 1' in capsys.readouterr().out


def test_the_exit_code_of_the_command(tmp_path: Path) -> None:
    """`python -m benchmarks sweep --sessions EMPTY_DIR` ends with 2."""
    words = [sys.executable, "-m", "benchmarks", "sweep", "--sessions", str(tmp_path)]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=240)
    assert ran.returncode == 2
    assert "no session" in ran.stderr
    assert ran.stdout == ""
