"""`speed`: one long life by fifths; sessions with rules and facts planted in them."""

from __future__ import annotations

import json

import pytest

from benchmarks.planted import PLANTED, RULES, planted
from benchmarks.speed import speed
from loom_bench.running import lawful_session
from loom_bench.session import FactDue, StandingRule
from loom_bench.sessions.generate import chained

MESSAGES = 160


def test_a_session_with_rules_and_facts_is_lawful() -> None:
    """Of any flavour, at most so many messages; a provider takes them all."""
    for flavour in ("coding", "scraps"):
        made = lawful_session(planted(chained([], flavour), MESSAGES))
        assert MESSAGES - 20 < len(made.messages) <= MESSAGES
        assert len(made.owed(FactDue)) == len(made.owed(StandingRule)) == PLANTED
        assert len({one.text for one in made.owed(StandingRule)}) == PLANTED > len(RULES)


def test_a_life_is_told_by_fifths(capsys: pytest.CaptureFixture[str]) -> None:
    """Turns of each kind add up, quantiles stand where there are enough, and what rests is told."""
    assert speed(steps=260, window=["32000"], json=True) == 0
    out, err = capsys.readouterr()
    life = json.loads(out.splitlines()[-1])["windows"]["32000"]
    assert sum(life[kind] for kind in ("plain", "cut", "renewal")) == 260
    assert life["plain_p99"] >= life["plain_p50"] > 0 and "not judged" in err
    assert life["workspace"] > life["index"] > 0 and life["payload"] > 0
    assert all(one["files"] > 0 for one in life["fifths"])
