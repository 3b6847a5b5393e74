"""Ways to make a large result small: each a function of a text and its limit, timed alike.

`loom` is the reducer under test and the rest is what it is compared with. Peers stand in `peers`:
they decide themselves how small a result gets, so their tokens are to be read beside their shares.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from msgspec import Struct

from benchmarks.measures.reduction.seed import compact
from loom.reduce.preview import preview

LOOM = "loom"
GAP = "\n…\n"


class ReductionRequest(Struct, frozen=True):
    """A text to be made at most `limit` characters; the whole rests in the page `ref`."""

    text: str
    limit: int
    ref: str = ""
    objective: str = ""


class ReductionResult(Struct, frozen=True):
    """A reduced text, what it took, and the names under which the whole could be had.

    `ms` are milliseconds on the clock, `busy` those of the processor: another's work on the machine
    stretches only the first.
    """

    text: str
    ms: float
    busy: float
    names: tuple[str, ...] = ()


Strategy = Callable[[ReductionRequest], ReductionResult]


def head(asked: ReductionRequest) -> str:
    """The first characters."""
    return asked.text[: asked.limit]


def head_tail(asked: ReductionRequest) -> str:
    """The first and the last characters, half of the room each."""
    room = max(0, asked.limit - len(GAP))
    first = room - room // 2
    return asked.text[:first] + GAP[: asked.limit] + asked.text[len(asked.text) - room // 2 :]


def _timed(reduce: Callable[[ReductionRequest], str]) -> Strategy:
    def answer(asked: ReductionRequest) -> ReductionResult:
        gc.disable()  # as timeit does: it would walk all that this process holds
        try:
            start, begun = time.perf_counter(), time.process_time()
            text = reduce(asked)
            ms, busy = time.perf_counter() - start, time.process_time() - begun
        finally:
            gc.enable()
        return ReductionResult(text, ms * 1_000, busy * 1_000, (asked.ref,))

    return answer


STRATEGIES: dict[str, Strategy] = {
    LOOM: _timed(lambda asked: preview(asked.text, asked.limit, asked.ref, asked.objective)),
    "preview": _timed(lambda asked: preview(asked.text, asked.limit, asked.ref)),
    "head_tail": _timed(head_tail),
    "head": _timed(head),
    "seed": _timed(lambda asked: compact(asked.text, asked.limit)),
}
