"""Finds tool calls after a compaction that show again what was shown before it ("going back").

A call counts if it does the same as an earlier call and the model could have known the result.
- It reads a file, and most of its lines were shown before and have not been shown since.
- Or it only shows, checks or searches, its result has the same lines as before, and no file was
  changed meanwhile."""

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
    """A thing that the model read, ran or searched again after a compaction. `did` is "read", "ran"
    or "searched". `what` is the file, command or query. `message` is the number of the first reply
    that did so again, `before` the number of the message that had done so before the compaction.
    `times` is the number of repetitions.

    `tokens` counts the repeated calls and results, `dollars` is their price. `minutes` is the time
    from their requests to the results. `loom` has, for each Loom window, the farthest place (of
    PLACES in `loom_window`) at which the window had most of the lines."""

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
    """The lines that calls showed before a compaction, and which of these lines were shown again
    since. `kept` holds the texts that the client kept beside its summary."""

    def __init__(self, calls: Iterable[CallWithResult], kept: Iterable[str]) -> None:
        self._before: dict[Key, list[CallWithResult]] = {}
        self._kept, self._known = compared_lines(kept), dict[Key, frozenset[str]]()
        self._changed = -1  # where a call last did something, and may have changed a file
        for one in calls:
            self._before.setdefault(one.key, []).append(one)
            self._changed = one.at if one.acts else self._changed

    def find_repeat(self, one: CallWithResult) -> tuple[CallWithResult, frozenset[str]] | None:
        """Return (earlier call that this call repeats, lines shown again), or None. The call's
        lines then count as shown again."""
        calls, lines = self._before.get(one.key, []), one.lines
        known = self._known.get(one.key, self._kept)
        self._known[one.key] = known | lines
        stale = one.key[0] != READ and bool(calls) and self._changed > calls[-1].at
        if one.acts:
            self._changed = one.at
        stood = (lines & frozenset[str]().union(*(each.lines for each in calls))) - known
        if one.acts or stale or one.result.error or not are_enough_lines(one, stood):
            return None
        last = max(calls, key=lambda each: (2 * len(each.lines & stood) >= len(stood), each.at))
        return last, stood


def are_enough_lines(one: CallWithResult, stood: frozenset[str]) -> bool:
    """Return True if the call shows enough of the old lines `stood` again: for a file more than
    half of the call's lines, for any other call all lines."""
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
    """Return the things that the `calls` after a compaction read, ran or searched again. `stood`
    holds what was shown before the compaction, and is changed by this function. `windows` are the
    texts of Loom's windows at the compaction."""
    found = dict[Key, WentBack]()
    for one in calls:
        if (again := stood.find_repeat(one)) is None:
            continue
        before, lines = again
        did = {READ: "read", SHELL: "ran"}.get(one.key[0], "searched")
        near = tuple(_place_in_window(one, lines, each) for each in windows)
        tokens, dollars, minutes = _cost_of_call(session, one, prices, count)
        first = found.get(one.key) or WentBack(
            did, call_text(one), one.reply.index, session.events[before.at].index, 0, 0, 0, near, 0
        )
        found[one.key] = replace(
            first, tokens=first.tokens + tokens, times=first.times + 1,
            dollars=round(first.dollars + dollars, 6), minutes=round(first.minutes + minutes, 2),
            loom=tuple(max(both, key=PLACES.index) for both in zip(first.loom, near, strict=True)),
        )  # fmt: skip
    return [*found.values()]


def _place_in_window(one: CallWithResult, stood: frozenset[str], window: WindowTexts) -> str:
    """Return where (of the PLACES in `loom_window`) a Loom window has more than half of the lines
    `stood` for a file, all for any other call."""
    need = len(stood) if one.key[0] != READ else len(stood) // 2 + 1
    return window.place_of_lines(stood, need, one.key[1])


def _cost_of_call(
    session: Session, one: CallWithResult, prices: Prices, count: Callable[[str], int]
) -> tuple[int, float, float]:
    """Return (tokens, dollars, minutes) of a call. Calls of the same reply share the cost of their
    request equally."""
    times, share = session.times, len(one.reply.calls)
    wrote, shown = count(one.call.arguments), count(one.result.text)
    taken = prices.read * one.reply.prompt_tokens / share
    dollars = (taken + prices.output * wrote + prices.write * shown) / MILLION
    minutes = 0.0
    if times and times[one.place] and (began := times[max(one.at - 1, 0)]):
        minutes = max(times[one.place] - began, 0) / 60_000 / share
    return wrote + shown, dollars, minutes


def call_text(one: CallWithResult) -> str:
    """Return what a call worked on, on one line: a file's path, a shell command, or the tool's name
    with its first two text arguments."""
    kind, name = one.key
    values = [value for value in one.given.arguments.values() if isinstance(value, str) and value]
    looked = f"{one.call.name} {', '.join(values[:SHOWN])}"
    return one_line({READ: name, SHELL: one.command or name}.get(kind, looked), LENGTH)
