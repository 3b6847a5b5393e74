"""The strategies of the kit by name: Loom at each policy, what harnesses do, other packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from loom_bench.named import NamedParts
from loom_bench.session import Wire
from loom_bench.strategies.baselines import clear_tools, head_tail, summary_stub, tail, tail_low
from loom_bench.strategies.by_loom import by_loom
from loom_bench.strategies.ladder import grouped, of_package, plain_ladder
from loom_bench.strategies.peers import PEERS
from loom_bench.strategy import Shorten, Strategy, WindowBudget

__all__ = ["DEFAULT", "STRATEGIES"]


def whole(budget: WindowBudget) -> Shorten:
    """Everything, always: what a provider refuses once it is too large."""

    def sent(messages: Sequence[Wire]) -> Sequence[Wire]:
        return messages

    return sent


BUILT: Mapping[str, Strategy] = {
    "loom": partial(by_loom, preset="lazy"),
    "loom_graduated": partial(by_loom, preset="graduated"),
    "loom_eager": partial(by_loom, preset="eager"),
    "tail": partial(grouped, make=tail),
    "tail_low": partial(grouped, make=tail_low),
    "head_tail": partial(grouped, make=head_tail),
    "clear_tools": partial(grouped, make=clear_tools),
    "summary_stub": partial(grouped, make=summary_stub),
    "plain_ladder": partial(grouped, make=plain_ladder),
    "whole": whole,
    **{name: partial(of_package, make=peer.open) for name, peer in PEERS.items()},
}
# What is run where no strategy is named: all that need nothing but Loom.
DEFAULT = (
    "loom", "loom_graduated", "tail", "tail_low", "head_tail", "clear_tools", "summary_stub",
    "plain_ladder",
)  # fmt: skip
STRATEGIES = NamedParts("strategy", lambda: BUILT)
