"""What a fleet asks of a store: turns counted where they are taken, and reckoned up."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import json

from benchmarks.scale import MEASURED, OPENINGS, TURNS_IN, grown, month, reckoned, scale
from loom.bench.turns_at import StoreOpening, measured, opened, saturation

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


def test_a_month_of_one_agent() -> None:
    """A turn a minute; with a lease of ten times the seconds, renewals are a tenth."""
    told = month(MEASURED, 60, 30, PRICES)
    assert told["turns"] == 43_200 and told["puts of turns"] == round(43_200 * MEASURED.puts)
    renewals = "renewals of the lease, a put and a get each"
    assert told[renewals] == 10 * month(MEASURED, 60, 300, PRICES)[renewals] == 259_200
    assert told["dollars, lease"] == pytest.approx(259_200 * 5.4 / 1e6, abs=0.01)


def test_an_opening_is_priced_as_what_it_asks() -> None:
    """Two of its gets are lists, which cost what puts do; nothing at rest costs nothing."""
    told = grown(StoreOpening(10, 2, 16, 0, 0), PRICES)
    assert told["dollars of a thousand"] == pytest.approx((4 * 5 + 14 * 0.4) / 1_000, abs=0.001)
    assert told["dollars a month at rest"] == told["of them by gc"] == 0


@pytest.mark.exact
def test_openings_are_counted_where_they_are(tmp_path: Path) -> None:
    """As a machine opens that has nothing of the agent; what nothing needs is part of the rest."""
    pytest.importorskip("obstore", reason="needs obstore")
    ten, more = opened(f"file://{tmp_path}/there", (10, 60))
    assert (ten.turns, ten.puts, ten.gets) == (10, 2, OPENINGS[0].gets)
    assert (more.turns, more.puts, more.gets) == (60, 2, OPENINGS[1].gets)
    assert ten.leftover == 0 < more.leftover < more.bytes


@pytest.mark.exact
def test_smaller_windows_put_more(tmp_path: Path) -> None:
    """What a turn puts at an address is what the page says, and more the more often it renews."""
    pytest.importorskip("obstore", reason="needs obstore")
    small, large = (
        measured(f"file://{tmp_path}/{size}", 30, window=size).puts for size in (8_000, 32_000)
    )
    assert (small, large) == (TURNS_IN[8_000].puts, TURNS_IN[32_000].puts)


def test_the_command_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Its tables, and the same in the JSON line."""
    assert scale() == 0
    out = capsys.readouterr().out
    for title in ("A fleet", "One agent for a month, a turn every 60 s", "One agent, after turns",
                  "One agent, in a window"):  # fmt: skip
        assert title in out
    told = json.decode(out.splitlines()[-1])
    assert told["a month"]["turns"] == 43_200
    assert [row["turns"] for row in told["after turns"]] == [one.turns for one in OPENINGS]
    assert [row["window"] for row in told["in a window"]] == [*TURNS_IN]
