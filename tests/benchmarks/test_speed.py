"""`python -m benchmarks speed`: what turns cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.speed import FIFTHS, speed


def test_a_short_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Every turn is of one kind and in one fifth; all cost something, and more than the floor."""
    speed(steps=60, window=8_192, json=True)
    report = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    fifths = report["fifths"]
    assert [one["steps"] for one in fifths] == [12, 24, 36, 48, 60] and len(fifths) == FIFTHS
    assert [one["plain"] + one["cut"] + one["renewal"] for one in fifths] == [12] * FIFTHS
    assert sum(one["cut"] + one["renewal"] for one in fifths) > 0
    assert all(0 < one["plain_p50"] <= one["plain_p99"] and one["of_floor"] > 1 for one in fifths)
    assert report["counted_of_ingested"] > 0


def test_a_folder_without_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is timed, and it says so."""
    assert speed(sessions=(tmp_path,)) == 2
    assert "--sessions" in capsys.readouterr().err
