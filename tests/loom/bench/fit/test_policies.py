"""The policies side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.policies import policies
from loom.bench.cost.bill import units
from loom.bench.fit.policies import AGEINGS
from loom.policy import PRESETS
from loom.replay.cost import Bill
from tests.loom.bench.fit.test_fit import session


def test_without_labels_nothing_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder without labelled sessions is a usage error that says so."""
    assert policies(sessions=[tmp_path], workers=1) == 2
    assert "--sessions" in capsys.readouterr().err


def test_cost_units() -> None:
    """What is reused is read at a tenth of the price, the rest written at a quarter more."""
    assert units(Bill()) == 0.0
    sums = Bill(sent=3_000_000, reused=2_000_000)
    assert units(sums) == pytest.approx(2 * 0.1 + 1 * 1.25)


def test_every_policy_with_both_scales(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each row has its needs, its cost and its cuts by level; none of them failed."""
    session(tmp_path, "a", 12)
    assert policies(sessions=[tmp_path], capacity="6000", workers=1, json=True) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(report) == {"sessions", *(f"{p}, {a}" for p in PRESETS for a in AGEINGS)}
    for name in set(report) - {"sessions"}:
        found = report[name]["6000"]
        assert (found["needs"], found["failed"]) == (1, 0)
        assert sum(found["levels"].values()) == found["cuts"] > 0
        assert found["units"] > 0
