"""The benchmark of long-term memory: the same memories each time, and figures of each engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.longterm import longterm
from loom.bench.longterm import timed as timing
from loom.bench.longterm.timed import Exhaustive, drafts, measure, questions


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few memories are saved one at a time, as each waits for the disk."""
    monkeypatch.setattr(timing, "SINGLES", 5)


def test_the_memories_are_the_same_each_time() -> None:
    """A seed decides them; a question is words of the memory it means."""
    assert list(drafts(0)) == []
    assert list(drafts(20)) == list(drafts(20))
    held = {at: one.text for at, one in enumerate(drafts(20), 1)}
    for id, words in questions(held):
        assert set(words.split()) <= set(held[id].split())


def test_an_engine_is_measured(tmp_path: Path) -> None:
    """Few memories are all found; every step is told."""
    steps: list[None] = []
    every = Exhaustive()
    figures = measure("sqlite", tmp_path / "store", 30, lambda: steps.append(None), every)
    assert figures["found_in_5"] > 0.8 and figures["megabytes"] > 0
    assert figures["same_top_5"] == 1.0
    assert len(steps) == 1 + 1 + 30


def test_the_last_line_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    """With and without a table; what cannot be measured is refused."""
    assert longterm(items=20, engine="sqlite") == 0
    out = capsys.readouterr().out
    assert "Long-term memory" in out
    report = json.loads(out.splitlines()[-1])
    assert report["items"] == 20 and list(report["engines"]) == ["sqlite"]
    assert longterm(items=20, engine="tape", json=True) == 2
    assert longterm(items=0, json=True) == 2
    assert "tape" in capsys.readouterr().err
