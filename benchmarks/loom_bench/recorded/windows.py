"""The strategies measured: each takes a session's events and says what it would send.

Loom is one of them, through its public face; the others are policies over the recorded messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol, runtime_checkable

from loom.inputs import Event, Reply, Result
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom_bench.pool import Tell
from loom_bench.recorded.labels import Need
from loom_bench.recorded.ledger import DEEP, LOST, RESIDENT, Finding
from loom_bench.recorded.paged import Paged, again
from loom_bench.sessions.needle import held_by_any, message_texts
from loom_bench.strategies.baselines import (
    Factory,
    Policy,
    RecordedHistory,
    clear_tools,
    fitted,
    flat,
    head_tail,
    regrouped,
    summary_stub,
    tail,
    tail_low,
)
from loom_bench.strategies.ladder import plain_ladder
from loom_bench.strategies.peers import PEERS, PeerPackage


class RecordedStrategy(Protocol):
    """One way to keep a window, during one session.

    `tools` are the schema documents it adds to every request; `rescued` counts requests that only
    became small enough because the oldest messages were dropped for it.
    """

    tools: tuple[str, ...]
    rescued: int

    def feed(self, event: Event) -> None:
        """Take in the next event of the session."""

    def request(self) -> Sequence[Message]:
        """Return the request as it would be sent now."""

    def find(self, need: Need, request: Sequence[Message]) -> Finding:
        """Where the needle of a need is, when that request would be sent."""

    def fetch(self, need: Need, finding: Finding) -> Iterator[str]:
        """Make the extra calls an agent would make for a needle that is not there, one a step.

        Each step gives the name of what was brought in, "" when it was nothing with a name.
        """

    def close(self) -> None:
        """Give back what it holds on disk."""


@runtime_checkable
class Rests(Protocol):
    """A policy that keeps what left its window on disk, for an agent with file tools."""

    def rested(self) -> Iterable[str]:
        """The texts on disk."""

    def close(self) -> None:
        """Remove them."""


class Unpaged:
    """A policy over the recorded messages: what its request does not show is lost.

    An agent that misses something calls again for it, and gets the whole result once more.
    """

    def __init__(
        self, policy: Policy, capacity: int, meter: Meter, *, trusted: bool = True
    ) -> None:
        """One that is not `trusted` has its requests checked for pairs."""
        self.tools: tuple[str, ...] = ()
        self.rescued = 0
        self._policy = policy
        self._trusted = trusted
        self._capacity = capacity
        self._history = RecordedHistory(meter)
        self._events: list[Event] = []
        self._again = 0

    def feed(self, event: Event) -> None:
        """Take in the next event."""
        self._events.append(event)
        self._history.add(event)

    def request(self) -> Sequence[Message]:
        """The history the policy leaves, cut to the capacity if it leaves too much."""
        meter = self._history.meter
        left = self._policy(self._history.groups)
        fits = meter.messages(left) <= self._capacity
        if fits and self._trusted:
            return left
        mended = regrouped(left, meter)
        if fits and flat(mended) == left:
            return left
        self.rescued += 1
        return flat(fitted(mended, self._capacity, meter))

    def find(self, need: Need, request: Sequence[Message]) -> Finding:
        """Resident; else lost, unless the policy keeps files."""
        shown = held_by_any(need.needle, message_texts(request))
        if shown:
            return Finding(RESIDENT)
        rested = self._policy.rested() if isinstance(self._policy, Rests) else ()
        return Finding(DEEP if held_by_any(need.needle, rested) else LOST)

    def fetch(self, need: Need, finding: Finding) -> Iterator[str]:
        """One call: the newest result that held the needle comes again; what was said, as one."""
        self._again += 1
        call, text = again(need, self._events, self._again)
        self._history.add(Reply((call,)))
        self._history.add(Result(call.id, text))
        yield f"{call.name} {call.arguments}"

    def close(self) -> None:
        """Close the policy, if it holds anything."""
        if isinstance(self._policy, Rests):
            self._policy.close()


BASELINES: dict[str, Factory] = {
    "tail": tail,
    "tail_low": tail_low,
    "head_tail": head_tail,
    "clear_tools": clear_tools,
    "summary_stub": summary_stub,
    "plain_ladder": plain_ladder,
}

Opener = Callable[
    [int, Meter, bool], RecordedStrategy
]  # capacity, meter, whether Loom's tools are there


def _unpaged(make: Factory, capacity: int, meter: Meter, own_tools: bool) -> RecordedStrategy:
    return Unpaged(make(capacity, meter), capacity, meter)


def _peer(peer: PeerPackage, capacity: int, meter: Meter, own_tools: bool) -> RecordedStrategy:
    return Unpaged(peer.open(capacity, meter), capacity, meter, trusted=False)


STRATEGIES: dict[str, Opener] = {
    "loom": lambda capacity, _, own_tools: Paged(capacity, own_tools=own_tools),
    **{name: partial(_unpaged, make) for name, make in BASELINES.items()},
    **{name: partial(_peer, peer) for name, peer in PEERS.items()},
}


def missing(name: str, tell: Tell) -> bool:
    """True when a strategy cannot run here; `tell` is given what it needs."""
    peer = PEERS.get(name)
    if peer is None or peer.installed:
        return False
    tell(f"{name}: left out, {peer.package} is not installed")
    return True
