"""`speed`: one long life by fifths; ways to keep a window side by side on one session."""

from __future__ import annotations

import json

import pytest

from benchmarks.peers import PLANTED, RULES, planted
from benchmarks.speed import speed
from loom_bench.running import lawful_session
from loom_bench.session import FactDue, StandingRule
from loom_bench.sessions.generate import chained
from loom_bench.strategies.peers import PEERS

MESSAGES = 160


def test_a_session_with_rules_and_facts_is_lawful() -> None:
    """Of any flavour, at most so many messages; a provider takes them all."""
    for flavour in ("coding", "scraps"):
        made = lawful_session(planted(chained([], flavour), MESSAGES))
        assert MESSAGES - 20 < len(made.messages) <= MESSAGES
        assert len(made.owed(FactDue)) == len(made.owed(StandingRule)) == PLANTED
        assert len({one.text for one in made.owed(StandingRule)}) == PLANTED > len(RULES)


def test_ways_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    """Each way that can run has its CPU and what it keeps; one that is not installed is named."""
    assert speed(peers=True, messages=MESSAGES, window=["8192"], json=True) == 0
    out, err = capsys.readouterr()
    ways = json.loads(out.splitlines()[-1])["windows"]["8192"]
    assert set(ways) == {"loom", "loom_sync", "tail", "tail_low", "clear_tools"} | {
        name for name, peer in PEERS.items() if peer.installed
    }
    for name in {*PEERS} - {*ways}:
        assert f"{name}: left out, {PEERS[name].package} is not installed" in err
    assert all(one["p99"] >= one["p50"] > 0 and not one["failed"] for one in ways.values())
    tail = ways["tail"]
    for ours in (ways["loom"], ways["loom_sync"]):
        assert (ours["broken_pairs"], ours["too_large"]) == (0, 0)
        assert ours["rules"] == 1.0 > tail["rules"] and ours["facts_asked"] > tail["facts_asked"]


def test_a_life_is_told_by_fifths(capsys: pytest.CaptureFixture[str]) -> None:
    """Turns of each kind add up, quantiles stand where there are enough, and what rests is told."""
    assert speed(steps=260, window=["32000"], json=True) == 0
    out, err = capsys.readouterr()
    life = json.loads(out.splitlines()[-1])["windows"]["32000"]
    assert sum(life[kind] for kind in ("plain", "cut", "renewal")) == 260
    assert life["plain_p99"] >= life["plain_p50"] > 0 and "not judged" in err
    assert life["workspace"] > life["index"] > 0 and life["payload"] > 0
    assert all(one["files"] > 0 for one in life["fifths"])
