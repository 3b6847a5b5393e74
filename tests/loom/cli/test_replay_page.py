"""The example of `docs/replay.md` is what its commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.loom.cli.conftest import Run

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "replay.md").read_text("utf-8")


@pytest.mark.exact
def test_the_example(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its three commands, as it is printed."""
    monkeypatch.chdir(tmp_path)
    lines = re.findall(
        r"^    loom (demo --out.*|export .*|replay session.json --window.*)$", PAGE, re.M
    )
    assert len(lines) == 3
    for line in lines:
        code, out, _ = run(*shlex.split(line.partition(" | ")[0]))
        assert code == 0
    (shown,) = re.findall(r"```text\n(1 session.*?)```", PAGE, re.DOTALL)
    assert out.startswith(shown)
