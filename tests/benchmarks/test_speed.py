"""`speed`: one long life by fifths."""

from __future__ import annotations

import json

import pytest

from benchmarks.speed import speed


def test_a_life_is_told_by_fifths(capsys: pytest.CaptureFixture[str]) -> None:
    """Turns of each kind add up, quantiles stand where there are enough, and what rests is told."""
    assert speed(steps=260, window=["32000"], json=True) == 0
    out, err = capsys.readouterr()
    life = json.loads(out.splitlines()[-1])["windows"]["32000"]
    assert sum(life[kind] for kind in ("plain", "cut", "renewal")) == 260
    assert life["plain_p99"] >= life["plain_p50"] > 0 and "not judged" in err
    assert life["workspace"] > life["index"] > 0 and life["payload"] > 0
    assert all(one["files"] > 0 for one in life["fifths"])
