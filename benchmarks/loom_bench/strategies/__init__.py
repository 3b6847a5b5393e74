"""The strategies of the kit by name: Loom at each policy, what harnesses do, other packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from loom_bench.named import NamedParts
from loom_bench.session import Wire
from loom_bench.strategies.baselines import (
    Factory,
    clear_tools,
    head_tail,
    summary_stub,
    tail,
    tail_low,
)
from loom_bench.strategies.by_loom import LoomKeptWindow
from loom_bench.strategies.ladder import grouped, plain_ladder
from loom_bench.strategies.peers import PEERS
from loom_bench.strategy import Shorten, Strategy, WindowBudget

__all__ = ["BASELINES", "DEFAULT", "STRATEGIES"]


def whole(budget: WindowBudget) -> Shorten:
    """Everything, always: what a provider refuses once it is too large."""

    def sent(messages: Sequence[Wire]) -> Sequence[Wire]:
        return messages

    return sent


OWN: tuple[Factory, ...] = (tail, tail_low, head_tail, clear_tools, summary_stub, plain_ladder)
BASELINES: Mapping[str, Factory] = {make.__name__: make for make in OWN}
BUILT: Mapping[str, Strategy] = {
    "loom": partial(LoomKeptWindow, preset="lazy"),
    "loom_graduated": partial(LoomKeptWindow, preset="graduated"),
    "loom_eager": partial(LoomKeptWindow, preset="eager"),
    **{name: partial(grouped, make=make) for name, make in BASELINES.items()},
    "whole": whole,
    **{name: partial(grouped, make=peer.open, foreign=True) for name, peer in PEERS.items()},
}
# What is run where no strategy is named: all that need nothing but Loom.
DEFAULT = ("loom", "loom_graduated", *BASELINES)
STRATEGIES = NamedParts("strategy", lambda: BUILT)
