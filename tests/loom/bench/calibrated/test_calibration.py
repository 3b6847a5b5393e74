"""The calibration benchmark: what it replays, what it predicts from, and what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.calibration import calibration
from loom.bench.calibrated.predicted import (
    FIRST,
    HALVES,
    Measured,
    Prediction,
    measure,
    reported,
    requests,
)
from loom.bench.calibrated.report import figures, missed

HIDDEN, SLOPE = 20_000, 1.3
STEPS = 24
Rows = list[dict[str, Any]]


def steps(count: int, thinking: str = "") -> Rows:
    """A user's turn, then replies with a call and its result, each of another size."""
    rows: Rows = [{"role": "user", "content": "mend the parser"}]
    for number in range(count):
        call = {"id": f"c{number}", "name": "Read", "arguments": {"path": f"src/{number}.py"}}
        said = {"role": "assistant", "content": f"step {number}", "tool_calls": [call]}
        rows.append({**said, "ctx_tokens": 1, "thinking": thinking})
        text = f"line {number} of a file\n" * (20 + 7 * (number % 5))
        rows.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return rows


def written(folder: Path, rows: Rows, name: str = "one") -> Path:
    """The rows as a session file."""
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def counted(path: Path) -> list[tuple[int, int]]:
    """The counted size of each request, and the number of its context."""
    ((session, marks),) = reported([path])
    return [(sample.tokens, number) for sample, number in requests(session, marks, "claude")]


def told(folder: Path, rows: Rows, report: Callable[[int, int], float]) -> Path:
    """The session with each reply reporting `report(number of the request, its tokens)`."""
    sizes = iter(enumerate(tokens for tokens, _ in counted(written(folder, rows))))
    reports = [
        {**row, "ctx_tokens": round(report(*next(sizes)))} if "ctx_tokens" in row else row
        for row in rows
    ]
    return written(folder, reports)


def linear(number: int, tokens: int) -> float:
    """A provider that adds a hidden prompt and has a tokenizer of its own."""
    return HIDDEN + SLOPE * tokens


def test_sessions_without_reports_are_passed_over(tmp_path: Path) -> None:
    """Only sessions whose provider reported a size are measured."""
    silent = [{k: v for k, v in row.items() if k != "ctx_tokens"} for row in steps(2)]
    written(tmp_path, silent, "silent")
    written(tmp_path, steps(2), "told")
    assert [session.name for session, _ in reported([tmp_path])] == ["told"]


def test_requests_grow_until_a_boundary(tmp_path: Path) -> None:
    """A compaction of the recorder starts a new context: the summary and what follows."""
    boundary = {"role": "system", "content": "compacted", "compact_boundary": {"trigger": "auto"}}
    sizes = counted(written(tmp_path, [*steps(5), boundary, *steps(5)]))
    first = [tokens for tokens, number in sizes if number == 0]
    second = [tokens for tokens, number in sizes if number == 1]
    assert first == second == sorted(first)
    assert len(set(first)) == 5


def test_recorded_reasoning_was_sent_again(tmp_path: Path) -> None:
    """Reasoning kept as text counts in the requests after its reply, not in that before."""
    plain = counted(written(tmp_path, steps(3)))
    thought = counted(written(tmp_path, steps(3, "the parser loses a byte here " * 30)))
    more = [two - one for (one, _), (two, _) in zip(plain, thought, strict=True)]
    assert more[0] == 0
    assert 150 < more[1] < more[2]


def test_reports_never_reach_the_replay(tmp_path: Path) -> None:
    """The counted size of a request is the same whatever the provider reported."""
    assert counted(told(tmp_path, steps(8), linear)) == counted(written(tmp_path, steps(8)))


def test_predictions_use_only_what_was_reported_before(tmp_path: Path) -> None:
    """A change in the last report changes no prediction, its own included."""
    last = STEPS - 1
    spoilt = told(tmp_path, steps(STEPS), lambda at, t: linear(at, t) * (1 if at < last else 3))
    ((session, marks),) = reported([spoilt])
    changed = measure(session, marks, "claude").calls
    ((session, marks),) = reported([told(tmp_path, steps(STEPS), linear)])
    straight = measure(session, marks, "claude").calls
    assert [c.estimate for c in changed] == [c.estimate for c in straight]
    assert [c.bound for c in changed] == [c.bound for c in straight]
    assert changed[-1].truth > 2 * straight[-1].truth


def test_a_linear_provider_reaches_every_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line on stdout is the JSON object, the exit code 0, the ratio the provider's."""
    path = told(tmp_path, steps(STEPS), linear)
    assert calibration(sessions=[path]) == 0
    shown = capsys.readouterr()
    report = json.loads(shown.out.splitlines()[-1])
    assert report["sessions"] == 1
    assert report["calls"] == STEPS - FIRST
    assert report["median_abs"] < 0.001
    assert report["bound_exceeded"] == 0
    assert report["uncalibrated_median"] > 0.5
    assert report["ratio_median"] == pytest.approx(SLOPE, rel=0.01)
    assert [half["calls"] for half in report["halves"].values()] == [report["calls"]]
    assert "Calibration" in shown.out
    assert "one: 14 calls" in shown.err


def test_a_provider_nobody_could_foretell_misses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With reports that jump about, the exit code is 1, and stderr names what was missed."""
    path = told(tmp_path, steps(STEPS), lambda at, t: linear(at, t) * (1, 2, 5)[at % 3])
    assert calibration(sessions=[path], json=True) == 1
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 1
    assert "p95_abs" in shown.err


@pytest.mark.parametrize("rows", [[{"role": "user", "content": "hello"}], steps(FIRST)])
def test_too_little_to_measure_is_refused(
    tmp_path: Path, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a session that goes on after its first samples nothing is shown: exit code 2."""
    written(tmp_path, [{**row, "is_error": False} for row in rows])
    assert calibration(sessions=[tmp_path]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "--sessions" in shown.err


def test_a_missing_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A path that is not there is named, with exit code 2."""
    assert calibration(sessions=[tmp_path / "gone"]) == 2
    assert "gone" in capsys.readouterr().err


def test_limit_stops_early(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At most so many sessions are replayed."""
    told(tmp_path, steps(STEPS), linear).rename(tmp_path / "two.jsonl")
    told(tmp_path, steps(STEPS), linear)
    assert calibration(sessions=[tmp_path], limit=1, json=True) == 0
    assert json.loads(capsys.readouterr().out)["sessions"] == 1


def call(truth: int, estimate: int, bound: int) -> Prediction:
    """A call as it might be."""
    return Prediction(truth, estimate, bound, prior=50.0, slope=1.5)


def test_figures_leave_the_first_samples_out() -> None:
    """Errors are relative to what was reported, and count from the eleventh call on."""
    wild = (call(100, 900, 10),) * FIRST
    calls = (call(100, 99, 104), call(100, 103, 108), call(100, 92, 96), call(100, 101, 106))
    report = figures([Measured("one", "folder", HALVES[0], (*wild, *calls))])
    assert report == {
        "sessions": 1,
        "calls": 4,
        "median_abs": 0.02,
        "p95_abs": 0.0725,
        "bound_exceeded": 0.25,
        "uncalibrated_median": 0.5,
        "margin_median": 0.05,
        "margin_mean": 0.035,
        "ratio_median": 1.5,
        "ratio_p90": 1.5,
    }
    assert missed(report) == ["bound_exceeded"]
