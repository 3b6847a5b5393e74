"""The command: what it refuses, what it reports, how it ends."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.reduction import reduction
from loom.bench.reduction.run import sound
from loom.bench.reduction.strategies import LOOM, STRATEGIES, there
from tests.kit.cases import all_cases


@all_cases(
    "wrong",
    [
        {"strategy": ["tape"]},
        {"strategy": ["distil"]},
        {"peer_python": ["distil"]},
        {"strategy": ["distil"], "peer_python": [f"distil={sys.executable}"]},
        {"scale": "2,1"},
        {"scale": "large"},
        {"limit": 0},
        {"limit": 1_000_000},
        {"sessions": [Path("nowhere")]},
    ],
)
def test_refused(
    recording: Callable[..., Path], wrong: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be measured is refused with a word of what to do."""
    options = {"sessions": [recording()], "limit": 2_000, "scale": "", **wrong}
    assert reduction(**options) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err


def test_report(recording: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Tables, then one line of JSON; without Loom among what is asked nothing can fail."""
    names = ["preview", "head"]
    options: dict[str, Any] = {"sessions": [recording()], "limit": 2_000, "strategy": names}
    assert reduction(**options, scale="0.01,0.02") == 0
    out = capsys.readouterr().out
    report = json.loads(out.splitlines()[-1])
    assert "Reduction of 2 results" in out and "worst step" in out
    assert (report["results"], report["json_results"], report["needles"]) == (2, 1, 3)
    assert list(report["strategies"]) == list(report["scaling"]) == names
    assert report["strategies"]["preview"]["json_valid"] == 1.0
    assert report["strategies"]["head"]["json_valid"] == 0.0
    assert set(report["worst_step"]) == set(report["worst_power"]) == set(names)
    assert reduction(**options, scale="", json=True) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_loom(recording: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Without a choice all that are built in are measured; without Loom's reducer it fails."""
    done = reduction(sessions=[recording()], limit=2_000, scale="", json=True)
    report = json.loads(capsys.readouterr().out)
    assert list(report["strategies"]) == [name for name in STRATEGIES if there(name)]
    assert done == int(not there(LOOM))


@all_cases(
    ("ours", "grown", "held"),
    [
        ({}, {}, True),
        ({"json_valid": None}, {"errors": []}, True),
        ({"json_valid": 0.99}, {}, False),
        ({"errors": 1}, {}, False),
        ({"over_limit": 1}, {}, False),
        ({}, {"errors": ["too deep"]}, False),
    ],
)
def test_sound(ours: dict[str, Any], grown: dict[str, Any], held: bool) -> None:
    """Every JSON valid, nothing over the limit, no error in results or in what is made up."""
    good = {"json_valid": 1.0, "errors": 0, "over_limit": 0}
    report = {"strategies": {LOOM: {**good, **ours}}, "scaling": {LOOM: grown} if grown else {}}
    assert sound(report) is held
    assert not sound({"strategies": {}, "scaling": {}})
