"""What a fleet asks of a store: turns counted where they are taken, and reckoned up."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.scale import MEASURED, reckoned
from loom.bench.turns_at import measured, saturation

PRICES = (5.0, 0.4, 0.023)


def test_no_pages_cost_nothing() -> None:
    """At rest; what agents do costs what it costs."""
    told = reckoned(MEASURED, 1_000, 0, 20_000, 30, 30, PRICES)
    assert told["dollars a month, pages at rest"] == 0 < told["dollars a day, turns"]


def test_twice_as_many_agents_ask_for_twice_as_much() -> None:
    """Of everything but what is one agent's, or a page's."""
    one, two = (reckoned(MEASURED, agents, 10**9, 20_000, 30, 30, PRICES)
                for agents in (100_000, 200_000))  # fmt: skip
    for name in ("puts a second", "gets a second", "dollars a day, turns", "dollars a day, leases"):
        assert two[name] == pytest.approx(2 * one[name], rel=0.001)
    for name in ("puts a second below one agent's prefix", "dollars a month, pages at rest"):
        assert two[name] == one[name]


def test_a_longer_lease_costs_less() -> None:
    """Ten times as long, a tenth."""
    short, long = (reckoned(MEASURED, 100_000, 1, 1, 30, lease, PRICES) for lease in (30, 300))
    assert long["dollars a day, leases"] == pytest.approx(
        short["dollars a day, leases"] / 10, abs=1
    )


def test_turns_are_counted_where_they_are_taken(tmp_path: Path) -> None:
    """At most two puts a turn at an address, none in a folder; pages make the bytes."""
    pytest.importorskip("obstore", reason="needs obstore")
    there = measured(f"file://{tmp_path}/there", 10)
    assert 1 <= there.puts <= 2 and there.gets < 1 and there.bytes > 1_000
    assert 0 < there.opening_gets < 40
    here = measured(str(tmp_path / "here"), 3)
    assert (here.puts, here.gets, here.bytes, here.opening_gets) == (0, 0, 0, 0)


def test_a_worker_is_full_at_some_number_of_agents(tmp_path: Path) -> None:
    """Agents are doubled, up to the most that were asked for."""
    assert set(saturation(str(tmp_path), 2, 2)) == {1, 2}
