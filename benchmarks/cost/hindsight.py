"""The cheapest schedule of cuts for a session whose needs are all known beforehand.

A lower bound on what a window of some capacity costs that keeps given needed texts. It assumes:

- Every message is sent whole by the first call after it came, and written to the cache once; what
  the capacity has no room for is cut off and costs nothing.
- Between cuts a request is the one before with what is new behind it: the one before is read.
- At a cut all that was sent before goes, but for the system messages at the front, which are read,
  and the needed texts, which are written anew. A text is needed when a later call needs it and no
  message that comes until then holds it; it takes the tokens of its exact text, and nothing names
  it or stands around it. Texts within one another are kept once.
- A cut may stand before any call, and deciding on it costs nothing.
- Nothing else of the past serves a later call. The needs given are all that is asked of the window,
  and its newest messages stay at a cut only where `near` says so.

A policy comes in below it only where it sends messages shortened from the first, or leaves more of
the front standing at a cut than the system messages, or, with `near`, less of the newest messages.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf

from msgspec import Struct

from benchmarks.cost.bill import UNITS
from loom.inputs import Reply, Session
from loom.replay.cost import Bill, Meter
from loom_bench.recorded.labels import Need
from loom_bench.sessions.needle import held_by_any
from loom_bench.strategies.baselines import RecordedHistory, lead, total


class Course(Struct, frozen=True):
    """What cuts are scheduled over, in tokens: the front that stays, and for each call two figures.

    `new` is what the call is the first to send, the front left out; `kept` what a cut right before
    the call writes anew.
    """

    head: int
    new: tuple[int, ...]
    kept: tuple[int, ...]


def course_of(session: Session, needs: Iterable[Need], meter: Meter, near: int = 0) -> Course:
    """The course of a session whose window has to keep what the needs ask for.

    At a cut the newest messages stay too, as many calls' as come to at most `near` tokens.
    """
    history = RecordedHistory(meter)
    replies, sent = [], [0]
    for at, event in enumerate(session.events):
        if isinstance(event, Reply):
            replies.append(at)
            sent.append(total(history.groups))
        history.add(event)
    front = lead(history.groups)
    head = total(history.groups[:front])
    new = [after - before for before, after in pairwise(sent)]
    if new:
        new[0] -= head
    stays = [_newest(new[:call], near) for call in range(len(new))]
    carried: list[list[str]] = [[] for _ in new]
    for need in needs:
        if need.holders[0].at >= front:
            came = bisect_right(replies, need.holders[-1].at)
            for call in range(came + 1, bisect_left(replies, need.at) + 1):
                if came < stays[call]:
                    carried[call].append(need.needle)
    kept = [
        sum(new[stays[call] : call]) + _tokens(needles, meter)
        for call, needles in enumerate(carried)
    ]
    return Course(head, tuple(new), tuple(kept))


def _newest(new: Sequence[int], near: int) -> int:
    """The call from which on what is new comes to at most `near` tokens."""
    at = len(new)
    while at and new[at - 1] <= near:
        at -= 1
        near -= new[at]
    return at


def _tokens(needles: Iterable[str], meter: Meter) -> int:
    """Tokens of texts, those within another left out."""
    kept: list[str] = []
    for needle in sorted(set(needles), key=lambda one: (-len(one), one)):
        if not held_by_any(needle, kept):
            kept.append(needle)
    return sum(map(meter.text, kept))


def hindsight(course: Course, capacity: int) -> Bill:
    """The bill of the cheapest schedule of cuts.

    What comes before a cut has no bearing on what comes after it, so from the last call backwards
    the best way on from each moment of a cut is found once.
    """
    calls = len(course.new)
    least, then = [inf] * calls + [0.0], [calls] * calls
    for start in reversed(range(calls)):
        cost = 0.0
        for end, (read, written) in enumerate(_uncut(course, capacity, start), start + 1):
            cost += UNITS.read * read + UNITS.write * written
            if cost + least[end] < least[start]:
                least[start], then[start] = cost + least[end], end
    return billed_at(course, capacity, _chain(then))


def _chain(then: Sequence[int]) -> Iterator[int]:
    """The moments of the cuts, each leading to the next."""
    at = then[0] if then else 0
    while at < len(then):
        yield at
        at = then[at]


def billed_at(course: Course, capacity: int, cuts: Iterable[int]) -> Bill:
    """The bill with cuts before some calls. Raises ValueError when they are too few to fit."""
    bill = Bill()
    starts = [0, *cuts]
    for start, end in zip(starts, [*starts[1:], len(course.new)], strict=True):
        uncut = list(zip(range(start, end), _uncut(course, capacity, start), strict=False))
        if len(uncut) < end - start:
            raise ValueError(f"the request before call {start + len(uncut)} is too large")
        for _, (read, written) in uncut:
            bill.add(Bill(calls=1, sent=read + written, reused=read, peak=read + written))
        bill.cuts += start > 0
    return bill


def _uncut(course: Course, capacity: int, start: int) -> Iterator[tuple[int, int]]:
    """Tokens read and written by the call at a cut, and by each after it that fits without one."""
    room = max(capacity - course.head, 0)
    written = min(course.new[start] + course.kept[start], room)
    yield (course.head, written) if start else (0, course.head + written)
    window = course.head + written
    for new in course.new[start + 1 :]:
        if window + new > capacity:
            return
        yield window, new
        window += new
