"""Where a needle is, in words; and sums over the requests of one replay."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loom.providers.render.message import Message
from loom_bench.plain_list import Meter

RESIDENT = "resident"  # in one text of the request
PAGE_IN = "page_in"  # a line of the request names what holds it, and what that is
RECALL = "recall"  # among the places a search without the needle names
DEEP = "deep"  # on disk, unnamed
LOST = "lost"  # nowhere
VERDICTS = (RESIDENT, PAGE_IN, RECALL, DEEP, LOST)


class Finding(Struct, frozen=True):
    """A verdict, the entries that hold the needle, and the names that led or could have led there.

    `newest` is the (line, name) that an agent asks with, None where no line says what it is of.

    `named` are names the request shows that hold it; with the verdict `deep` or `recall` their
    lines did not say what they come from. `recalled` are the places of a search that hold it, or
    the first of them when none does.
    """

    verdict: str
    entries: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()
    newest: tuple[str, str] | None = None


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
