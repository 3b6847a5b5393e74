"""`python -m benchmarks weeks`: what many steps leave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.weeks import weeks


def test_a_short_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten moments and the end, figures that add up, the workspace kept."""
    weeks(steps=60, window=8_192, keep=tmp_path / "w", json=True)
    report = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    moments = report["moments"]
    assert [one["steps"] for one in moments] == [*range(6, 61, 6), 60]
    assert (tmp_path / "w" / "journal").is_dir()
    for one in moments:
        parts = sum(one[name] for name in ("journal", "outputs", "snapshots", "checkpoints"))
        assert 0 < parts <= one["bytes"]
        assert one["files"] == sum(one["files_in"].values())
        assert one["beyond_a_step"] == round((one["bytes"] - one["payload"]) / one["steps"])
    assert [one["payload"] for one in moments] == sorted(one["payload"] for one in moments)
    assert len(report["opening_s"]) == 3


def test_a_folder_that_exists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder to keep the workspace in must be new."""
    assert weeks(steps=5, keep=tmp_path) == 2
    assert "it exists" in capsys.readouterr().err
