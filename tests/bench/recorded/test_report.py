"""The commands from a folder of sessions to the JSON on the last line, and their figures."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.needs import needs
from loom_bench.recorded.ledger import VERDICTS
from loom_bench.recorded.run import NeedsJob, replay

Recording = Callable[..., Path]


def test_needs(recording: Recording, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The last line is one JSON object; a small window misses what a large one holds."""
    details = tmp_path / "details.jsonl"
    asked = {"capacity": "4_000,60000", "strategy": ["loom", "tail"], "workers": 1}
    assert needs(sessions=[recording().parent], details=details, **asked) == 0
    out = capsys.readouterr().out
    report = json.loads(out.splitlines()[-1])
    assert "Needs at 4,000" in out
    assert list(report) == ["4000", "60000"]
    for strategies in report.values():
        for found in strategies.values():
            assert sum(found[verdict] for verdict in VERDICTS) == pytest.approx(1)
            assert (found["needs"], found["overflow"], found["failed"]) == (1, 0, 0)
    assert report["4000"]["tail"]["lost"] == 1
    assert report["4000"]["loom"]["lost"] == 0
    assert {report["60000"][name]["resident"] for name in ("loom", "tail")} == {1}
    rows = [json.loads(line) for line in details.read_text("utf-8").splitlines()]
    assert len(rows) == 4
    assert {"session", "call", "kind", "verdict", "needle", "last_seen", "entries"} <= set(rows[0])


def test_closed_loop_with_loom(recording: Recording) -> None:
    """Loom fetches what it paged out with its own tools, which every request then declares."""
    path = recording()
    closed = replay(NeedsJob(path, "loom", 5_000, closed=True))
    open_loop = replay(NeedsJob(path, "loom", 5_000))
    assert (closed.failed, closed.sums.overflow) == ("", 0)
    assert closed.sums.calls == open_loop.sums.calls + closed.extra_calls
    missing = sum(one.verdict != "resident" for one in closed.met)
    assert missing <= closed.extra_calls <= 3 * missing
    assert closed.failures == 0


def test_a_session_is_made_up_where_none_is_given(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways have the same needs; a unit is a million tokens at the cache's prices."""
    monkeypatch.setattr("benchmarks.needs.STEPS", 60)
    assert needs(capacity="6000", workers=1, curve=False) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["6000"]
    assert found["loom"]["needs"] == found["tail"]["needs"] > 0
    for one in found.values():
        sent = one["calls"] * one["tokens_sent"] / 1e6
        priced = sent * (0.1 * one["reuse"] + 1.25 * (1 - one["reuse"]))
        assert one["units"] == pytest.approx(priced, rel=0.01)
    assert needs(interleave=2) == 2
