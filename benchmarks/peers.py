"""`speed --peers`: what a request costs Loom and other ways to keep a window, and what each keeps.

Every way gets the same chat messages, whole, before each reply of the model. The thread's CPU is
that of the way alone, reading and counting new messages included. A request that a provider would
refuse is mended as a harness has to, off the clock, before it is judged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.planted import kept
from loom_bench.recorded.named import known
from loom_bench.recorded.report import share
from loom_bench.session import PressureSession, Wire
from loom_bench.strategies import STRATEGIES
from loom_bench.strategies.ladder import grouped, mended
from loom_bench.strategies.peers import PEERS
from loom_bench.strategy import OpenedStrategy, Strategy, WindowBudget
from loom_bench.wires import wire_of

WAYS = ("loom", "tail", "tail_low", "clear_tools", *PEERS)
HEADS = {
    "p50": "p50, ms", "p99": "p99, ms", "requests": "requests", "rules": "rules",
    "facts": "facts", "facts_asked": "… or by asking", "rescued": "rescued", "failed": "failed",
}  # fmt: skip


class TimedWindow:
    """The window of one way: `spent` gets the CPU of each request; those to mend are counted."""

    def __init__(self, strategy: Strategy, spent: list[float], budget: WindowBudget) -> None:
        self._kept = OpenedStrategy(strategy, budget)
        self._budget = budget
        self._spent = spent
        self.rescued = 0
        self.ask, self.close = self._kept.ask, self._kept.close

    @property
    def tools(self) -> list[Wire]:
        """The tools the way adds."""
        return self._kept.tools

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        began = time.thread_time()
        sent = self._kept.request(messages)
        self._spent.append(1_000 * (time.thread_time() - began))
        reader = self._budget.reader
        left = reader.messages(sent)
        made = mended(left, self._budget.room - reader.declared(self.tools), reader.meter)
        if made is left:
            return sent
        self.rescued += 1
        return [wire_of(message) for message in made]


def beside(
    session: PressureSession, window: int, tell: Callable[[str], None]
) -> dict[str, dict[str, Any]]:
    """The figures of each way that can run here at one window; `tell` names those left out."""
    found = {}
    for name in known(WAYS, tell=tell):
        found[name] = _figures(name, session, window)
        tell(f"{name} at {window:,}: p50 {found[name]['p50']} ms")
    return found


def _figures(name: str, session: PressureSession, window: int) -> dict[str, Any]:
    # A package's requests come as it leaves them: what it takes to mend them is not its time.
    way = partial(grouped, make=PEERS[name].open) if name in PEERS else STRATEGIES.get(name)
    spent: list[float] = []
    done = kept(session, window, partial(TimedWindow, way, spent))
    middle, late = map(float, np.quantile(spent or [0.0], [0.5, 0.99]))
    sums = done.sums
    return {
        "p50": round(middle, 3),
        "p99": round(late, 3),
        "requests": len(spent),
        "rules": share(sums["rules_held"], sums["rules"]),
        "facts": share(sums["facts_shown"], sums["facts"]),
        "facts_asked": share(sums["facts_held"], sums["facts"]),
        "rescued": sums["rescued"],
        "failed": done.failed,
    }
