"""Keepers of a window: Loom, and policies over the recorded messages, driven a turn at a time.

A turn is what comes in before a request (the reply before it, its results, messages of the user)
and the request. Loom's includes the request in wire form, the others' ends at their messages: no
package is charged for the encoder of a client. They are given the whole history as a list, which
each walks as its documentation has it; `whole` does no more than that, so its row is what being
driven here costs. A policy's request is judged as it left it, nothing mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from loom.context import Context
from loom.inputs import Event
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom.replay.feed import feed
from loom_bench.recorded.windows import BASELINES, Rests
from loom_bench.strategies.baselines import Factory, Policy
from loom_bench.strategies.history import RecordedHistory, flat
from loom_bench.strategies.peers import PEERS

LOOM = "loom"
WHOLE = "whole"
ELSEWHERE = {"loom_agent": "it runs in a process of its own, whose CPU is not this thread's"}


class Keeper(Protocol):
    """One way to keep a window during one life; `request` is that of the newest turn."""

    request: Sequence[Message]

    def turn(self, events: Iterable[Event]) -> None:
        """Take in what came, and make the request: what is timed."""

    def told(self) -> str:
        """What the newest turn did: plain, cut or renewal."""

    def close(self) -> None:
        """Give back what it holds on disk."""


class LoomKeeper:
    """Loom, in a context the caller opened and closes; `wire` is the request as it is sent."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.wire: Mapping[str, Any] = {}
        self.request: Sequence[Message] = ()
        self._before = self._sent = context.window.sent

    def turn(self, events: Iterable[Event]) -> None:
        """Feed and ask for a request in the wire form of Chat Completions."""
        for event in events:
            feed(self.context, event)
        turn = self.context.turn()
        self.wire = turn.request("openai")
        self.request = turn.messages

    def told(self) -> str:
        """The kind of the newest turn, by the window's own counts; to be asked once a turn."""
        before, self._sent = self._sent, self.context.window.sent
        if self._sent.generation > before.generation:
            return "renewal"
        return "cut" if self._sent.cuts > before.cuts else "plain"

    def close(self) -> None:
        """Nothing: the context is the caller's."""


class PolicyKeeper:
    """A policy over the recorded messages; it does not tell its cuts, so all turns are plain."""

    def __init__(self, make: Factory, capacity: int) -> None:
        meter = Meter(counter_for())
        self._history = RecordedHistory(meter)
        self._policy: Policy = make(capacity, meter)
        self.request: Sequence[Message] = ()

    def turn(self, events: Iterable[Event]) -> None:
        """Add the messages, and let the policy choose."""
        for event in events:
            self._history.add(event)
        self.request = self._policy(self._history.groups)

    def told(self) -> str:
        """Always plain."""
        return "plain"

    def close(self) -> None:
        """Close the policy, if it holds anything."""
        if isinstance(self._policy, Rests):
            self._policy.close()


def whole(capacity: int, meter: Meter) -> Policy:
    """Everything so far, whatever the capacity: what it costs to drive a policy."""
    return flat


def left_out() -> dict[str, str]:
    """The peers that cannot run here, and why."""
    absent = {
        name: f"{peer.package} is not installed"
        for name, peer in PEERS.items()
        if not peer.installed
    }
    return ELSEWHERE | absent


def others(capacity: int) -> dict[str, Keeper]:
    """Every other keeper that can run here: the built-in strategies, then the installed peers."""
    absent = left_out()
    makers: dict[str, Factory] = {WHOLE: whole, **BASELINES}
    makers |= {name: peer.open for name, peer in PEERS.items() if name not in absent}
    return {name: PolicyKeeper(make, capacity) for name, make in makers.items()}
