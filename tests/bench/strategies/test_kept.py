"""The strategies of the kit, each through one pressed session."""

from __future__ import annotations

import pytest

from loom_bench.drive import driven
from loom_bench.judge import Judge
from loom_bench.judges import JUDGES
from loom_bench.scenarios import session_of
from loom_bench.session import PUBLIC, Wire
from loom_bench.strategies import DEFAULT, STRATEGIES
from loom_bench.strategy import OpenedStrategy, budget_of
from loom_bench.wires import WireReader

SMALL: list[Wire] = [
    {"role": "system", "content": "Be careful."},
    {"role": "user", "content": "Hello."},
]


@pytest.mark.parametrize("name", [*DEFAULT, "plain_ladder", "whole"])
def test_what_fits_is_sent_as_it_is(name: str) -> None:
    """Nothing is shortened while there is room: every message stands."""
    opened = OpenedStrategy(STRATEGIES.get(name), budget_of(8_192, WireReader()))
    try:
        said = [str(one["content"]) for one in opened.request(SMALL)]
    finally:
        opened.close()
    assert "Be careful." in said[0] and "Hello." in said[1]


@pytest.mark.parametrize("name", DEFAULT)
def test_no_request_is_refused(name: str) -> None:
    """Of a session ten times as long as the window every request is lawful and small enough."""
    found = driven(session_of("needle", 1, PUBLIC), STRATEGIES.get(name), 8_192, _judges())
    assert found.failed == "" and found.faults == []
    assert found.sums["requests"] > 100 and found.sums["refused"] == 0


def test_the_whole_is_refused_once_it_is_too_large() -> None:
    """Who sends everything is told so from the first request that does not fit."""
    found = driven(session_of("needle", 1, PUBLIC), STRATEGIES.get("whole"), 32_000, _judges())
    assert 0 < found.sums["refused"] < found.sums["requests"]
    assert "are allowed" in found.faults[0].text


def _judges() -> list[Judge]:
    return [JUDGES.get("lawful")]
