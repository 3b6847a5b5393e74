"""The calls of a session that show again what had stood before a compaction (going back).

A call after a compaction counts when it does what an earlier call did, and the model could have
known the result: most lines of the file it reads stood there and have not come back since; or a
command that only shows, a check or a search gives line for line what it gave before, and no file
was changed meanwhile. So new text in a file, a second reading, and a check after a change do not
count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import Session
from loom.providers.prices import MILLION, Prices
from loom.reduce.aliases import READ, SHELL
from loom.replay.lost.calls import CallWithResult, Key, compared_lines
from loom.replay.lost.loom_window import PLACES, WindowTexts
from loom.text import one_line

AHEAD = 120  # messages after a compaction
LENGTH = 2_000  # characters, before secrets are replaced and it is shortened
SHOWN = 2  # arguments of a search: what for, and where


class WentBack(Struct, frozen=True):
    """A thing that the session did again after a compaction: what it did (`did`: read, ran,
    searched), to `what`, in which `message` first, and how many `times`. It had first been done at
    message `before`.

    `tokens` are those of the calls and their results. `dollars` are their price and the calls'
    share of the requests they took; `minutes` run from those requests to the results. `loom` says
    for each of Loom's windows where most of the lines would have been, at the worst of these calls.
    """

    did: str
    what: str
    message: int
    before: int
    tokens: int
    dollars: float
    minutes: float
    loom: tuple[str, ...] = ()
    times: int = 1


class ShownBefore:
    """The lines that calls showed before a compaction, and which of them were shown again since.
    `kept` are texts that the client kept beside the summary."""

    def __init__(self, calls: Iterable[CallWithResult], kept: Iterable[str]) -> None:
        self._before: dict[Key, list[CallWithResult]] = {}
        self._kept, self._known = compared_lines(kept), dict[Key, frozenset[str]]()
        self._changed = -1  # where a call last did something, and may have changed a file
        for one in calls:
            self._before.setdefault(one.key, []).append(one)
            self._changed = one.at if one.acts else self._changed

    def find_repeat(self, one: CallWithResult) -> tuple[CallWithResult, frozenset[str]] | None:
        """Return (the earlier call that a call repeats, the lines shown again); None when too few
        lines are. Of several earlier calls, the latest that showed half of these lines is taken, or
        else the latest. From then on the call's lines count as known."""
        calls, lines = self._before.get(one.key, []), one.lines
        known = self._known.get(one.key, self._kept)
        self._known[one.key] = known | lines
        stale = one.key[0] != READ and bool(calls) and self._changed > calls[-1].at
        if one.acts:
            self._changed = one.at
        stood = (lines & frozenset[str]().union(*(each.lines for each in calls))) - known
        if one.acts or stale or one.result.error or not are_enough_lines(one, stood):
            return None
        return max(
            calls, key=lambda each: (2 * len(each.lines & stood) >= len(stood), each.at)
        ), stood


def are_enough_lines(one: CallWithResult, stood: frozenset[str]) -> bool:
    """Return True when the call shows enough lines again: `stood` has more than half of the lines
    of a file it reads, or all lines of any other call."""
    return (
        2 * len(stood) > len(one.lines) if one.key[0] == READ else 0 < len(one.lines) == len(stood)
    )


def list_went_back(
    session: Session,
    calls: Iterable[CallWithResult],
    stood: ShownBefore,
    prices: Prices,
    count: Callable[[str], int],
    windows: Sequence[WindowTexts],
) -> list[WentBack]:
    """Return what the `calls` after a compaction read, ran and searched again.

    `stood` holds what was shown before the compaction; the calls change it. `windows` hold what
    Loom's windows would have shown."""
    found = dict[Key, WentBack]()
    for one in calls:
        if (again := stood.find_repeat(one)) is None:
            continue
        before, lines = again
        did = {READ: "read", SHELL: "ran"}.get(one.key[0], "searched")
        near = tuple(_place_in_window(one, lines, each) for each in windows)
        tokens, dollars, minutes = _cost_of_call(session, one, prices, count)
        stood_at = session.events[before.at].index
        first = found.get(one.key) or WentBack(
            did, call_text(one), one.reply.index, stood_at, 0, 0, 0, near, 0
        )
        found[one.key] = replace(
            first, tokens=first.tokens + tokens, times=first.times + 1,
            dollars=round(first.dollars + dollars, 6), minutes=round(first.minutes + minutes, 2),
            loom=tuple(max(both, key=PLACES.index) for both in zip(first.loom, near, strict=True)),
        )  # fmt: skip
    return [*found.values()]


def _place_in_window(one: CallWithResult, stood: frozenset[str], window: WindowTexts) -> str:
    """Return where a Loom window has the lines that a call shows again (`stood`): more than half of
    them for a file, else all."""
    need = len(stood) if one.key[0] != READ else len(stood) // 2 + 1
    return window.place_of_lines(stood, need, one.key[1])


def _cost_of_call(
    session: Session, one: CallWithResult, prices: Prices, count: Callable[[str], int]
) -> tuple[int, float, float]:
    """Return (tokens, dollars, minutes) of a call, its share of the request that led to it
    included."""
    times, share = session.times, len(one.reply.calls)
    wrote, shown = count(one.call.arguments), count(one.result.text)
    taken = prices.read * one.reply.prompt_tokens / share
    dollars = (taken + prices.output * wrote + prices.write * shown) / MILLION
    minutes = 0.0
    if times and times[one.place] and (began := times[max(one.at - 1, 0)]):
        minutes = max(times[one.place] - began, 0) / 60_000 / share
    return wrote + shown, dollars, minutes


def call_text(one: CallWithResult) -> str:
    """Return what a call worked on, in words: its file, its command, or what it searched for and
    where."""
    kind, name = one.key
    values = [value for value in one.given.arguments.values() if isinstance(value, str) and value]
    looked = f"{one.call.name} {', '.join(values[:SHOWN])}"
    return one_line({READ: name, SHELL: one.command or name}.get(kind, looked), LENGTH)
