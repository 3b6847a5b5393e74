"""`speed`: one long life by fifths; ways to keep a window side by side on one session."""

import json

import pytest

from benchmarks.speed import speed
from loom_bench.strategies.peers import PEERS


def test_a_life_is_told_by_fifths(capsys: pytest.CaptureFixture[str]) -> None:
    """Turns of each kind add up, quantiles stand where there are enough, and what rests is told."""
    assert speed(steps=260, window=["32000"], json=True) == 0
    out, err = capsys.readouterr()
    life = json.loads(out.splitlines()[-1])["windows"]["32000"]
    assert sum(life[kind] for kind in ("plain", "cut", "renewal")) == 260
    assert life["plain_p99"] >= life["plain_p50"] > 0 and "not judged" in err
    assert life["workspace"] > life["index"] > 0 and life["payload"] > 0
    assert all(one["files"] > 0 for one in life["fifths"])


def test_ways_stand_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    """Each way that can run has its CPU and what it keeps; one that is not installed is named."""
    assert speed(peers=True, messages=160, window=["8192"], json=True) == 0
    out, err = capsys.readouterr()
    ways = json.loads(out.splitlines()[-1])["windows"]["8192"]
    assert set(ways) == {"loom", "tail", "tail_low", "clear_tools"} | {
        name for name, peer in PEERS.items() if peer.installed
    }
    for name in {*PEERS} - {*ways}:
        assert f"{name}: left out, {PEERS[name].package} is not installed" in err
    assert all(one["p99"] >= one["p50"] > 0 and not one["failed"] for one in ways.values())
    loom, tail = ways["loom"], ways["tail"]
    assert loom["rescued"] == 0
    assert loom["rules"] == 1.0 > tail["rules"] and loom["facts_asked"] > tail["facts_asked"]
