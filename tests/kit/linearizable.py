"""Recorded histories of calls by several processes, held against what one store would have done.

A history is *linearizable* when its calls can be put in one order, each somewhere between its
beginning and its end, in which a store that does one call at a time would have answered as it was
answered. A call whose end is not known (its process ended, or no answer came) may have been done at
any time since it began, or never.

The search is that of Wing and Gong with the memory of Lowe: take any call that no unfinished one
precedes, and go on from the state it leads to; a pair of calls taken and state is tried once.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from math import inf
from typing import Any

from msgspec import Struct

OK, STALE, TAKEN, UNKNOWN = "ok", "stale", "taken", "unknown"


class TimedCall(Struct, frozen=True):
    """One call: who made it, what was asked and answered, and when (of any clock, one for all).

    `ended` of an UNKNOWN one is infinite: it may be done yet.
    """

    process: str
    what: str
    given: Any
    outcome: str
    began: float
    ended: float = inf
    found: Any = None


# A state and a call → the states it may lead to, none where the answer could not be that.
Model = Callable[[Any, TimedCall], Iterable[Hashable]]


def linearizable(history: Sequence[TimedCall], model: Model, start: Hashable) -> bool:
    """True when the history is what one store, which did a call at a time, could have answered."""
    calls = sorted(history, key=lambda call: call.began)
    whole = (1 << len(calls)) - 1
    known = sum(1 << at for at, call in enumerate(calls) if call.outcome != UNKNOWN)
    seen: set[tuple[int, Hashable]] = set()
    left: list[tuple[int, Hashable]] = [(whole, start)]
    while left:
        todo, state = left.pop()
        if not todo & known:
            return True
        if (todo, state) in seen:
            continue
        seen.add((todo, state))
        first = min(call.ended for at, call in enumerate(calls) if todo >> at & 1)
        for at, call in enumerate(calls):
            if call.began > first:
                break
            if todo >> at & 1:
                left += [(todo & ~(1 << at), after) for after in model(state, call)]
    return False


def fenced_log(state: Any, call: TimedCall) -> Iterable[Hashable]:
    """A log that one process at a time may write: `take` it over, `append` lines, `read` it.

    The state is (who writes, the lines). Who took it over found the lines as they were.
    """
    writer, lines = state
    mine = writer == call.process
    match call.what, call.outcome:
        case "take", _ if call.outcome == UNKNOWN or call.found == lines:
            return [(call.process, lines)]
        case "append", "ok":
            return [(writer, (*lines, call.given))] if mine else []
        case "append", "stale":
            return [] if mine else [state]
        case "append", "unknown":
            return [(writer, (*lines, call.given))] if mine else []
        case "read", "ok":
            return [state] if call.found == lines else []
    return []


def put_once(state: Any, call: TimedCall) -> Iterable[Hashable]:
    """A result that is put once: `put` by any process, of which the first counts; `read`."""
    match call.what, call.outcome:
        case "put", "ok":
            return [call.given] if state in (None, call.given) else []
        case "put", "taken":
            return [state] if state not in (None, call.given) else []
        case "put", "unknown":
            return [call.given if state is None else state]
        case "read", "ok":
            return [state] if call.found == state else []
    return []
