"""Sums over the requests of one replay, the same for every strategy."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom.providers.render.message import Message
from loom.replay.cost import Meter


class RequestSums(Struct):
    """Requests, their tokens, and how they follow one another.

    A cut is a request that does not begin with the whole of the one before; what stands before the
    first difference is `reused`. `overflow` counts requests over the capacity.
    """

    calls: int = 0
    tokens: int = 0
    reused: int = 0
    cuts: int = 0
    overflow: int = 0
    peak: int = 0


class Ledger:
    """Counts requests by one meter."""

    def __init__(self, meter: Meter, capacity: int) -> None:
        self.sums = RequestSums()
        self._meter = meter
        self._capacity = capacity
        self._before: tuple[Message, ...] = ()

    def add(self, request: Sequence[Message], tools: Sequence[str] = ()) -> int:
        """Count one request with its declared tools (schema documents); returns its tokens."""
        sent = tuple(request)
        sizes = [self._meter.message(message) for message in sent]
        declared = sum(map(self._meter.text, tools))
        pairs = zip(sent, self._before, strict=False)
        same = next((at for at, (new, old) in enumerate(pairs) if new != old), None)
        if same is None:
            same = min(len(sent), len(self._before))
        whole = sum(sizes) + declared
        sums = self.sums
        sums.calls += 1
        sums.tokens += whole
        sums.reused += sum(sizes[:same]) + (declared if self._before else 0)
        sums.cuts += same < len(self._before)
        sums.overflow += whole > self._capacity
        sums.peak = max(sums.peak, whole)
        self._before = sent
        return whole
