"""What a session went back for: calls that show again what had stood before a compaction.

A call after it counts where it does what one before it did, and that could have been known: most
lines of the file it reads stood there and have not come back since; a command that only shows, a
check or a search gives line for line what it gave, and no file was changed meanwhile. So what is
new in a file, a second reading, and a check behind a change are no going back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from loom.inputs import ClientCompaction, Session
from loom.providers.prices import MILLION, Prices
from loom.reduce.aliases import READ, SHELL
from loom.replay.lost.calls import Called, Key
from loom.replay.lost.things import brief
from loom.text import one_line

GONE = "gone"  # where Loom has what is neither in view nor one page away
AHEAD = 120  # messages after a compaction
LENGTH = 120


class WentBack(Struct, frozen=True):
    """A thing that was gone back for, which had stood at message `before`: what was done (read,
    ran or searched), to what, where first, and how many `times`.

    Tokens are of the calls and their results; the dollars are theirs and the calls' share of the
    requests they took; minutes from those requests to the results. `loom` says where most of the
    lines would have been with Loom, at the worst of these calls.
    """

    did: str
    what: str
    message: int
    before: int
    tokens: int
    dollars: float
    minutes: float
    loom: str = ""
    times: int = 1


class Stood:
    """The lines that calls showed before a compaction, and which of them came back."""

    def __init__(self, calls: Iterable[Called], kept: frozenset[str]) -> None:
        self._before: dict[Key, list[Called]] = {}
        self._kept, self._known = kept, dict[Key, frozenset[str]]()
        self._changed = -1  # where a file was changed last
        for one in calls:
            self._before.setdefault(one.key, []).append(one)
            self._changed = one.at if one.changes else self._changed

    def again(self, one: Called) -> Called | None:
        """Return the earlier call that showed most lines of this call's result, the latest of
        several; None where too few of the lines had been shown. From now on they are known."""
        calls, lines = self._before.get(one.key, []), one.lines
        known = self._known.get(one.key, self._kept)
        self._known[one.key] = known | lines
        stale = one.key[0] != READ and bool(calls) and self._changed > calls[-1].at
        if one.changes:
            self._changed = one.at
        stood = (lines & frozenset[str]().union(*(each.lines for each in calls))) - known
        if one.acts or stale or one.result.error or not enough(one, stood):
            return None
        return max(calls, key=lambda each: (len(each.lines & lines), each.at))


def enough(one: Called, stood: frozenset[str]) -> bool:
    """True where these are most lines of a file that a call reads, or all that another gives."""
    return (
        2 * len(stood) > len(one.lines) if one.key[0] == READ else 0 < len(one.lines) == len(stood)
    )


def went_back(
    session: Session,
    calls: Iterable[Called],
    stood: Stood,
    prices: Prices,
    count: Callable[[str], int],
    loom: Mapping[str, frozenset[str]],
) -> dict[Key, WentBack]:
    """What was read, run and searched again by the `calls` after a compaction. `stood` has what the
    window showed, and is used up; `loom` the lines that Loom would have had, by where, the nearest
    first."""
    events, times, found = session.events, session.times, dict[Key, WentBack]()
    order = [*loom, GONE]
    for one in calls:
        if (before := stood.again(one)) is None:
            continue
        share = len(one.reply.calls)
        wrote, shown = count(one.call.arguments), count(one.result.text)
        taken = prices.read * one.reply.prompt_tokens / share
        dollars = (taken + prices.output * wrote + prices.write * shown) / MILLION
        minutes = 0.0
        if times and times[one.place] and (began := times[max(one.at - 1, 0)]):
            minutes = max(times[one.place] - began, 0) / 60_000 / share
        near = next((at for at, lines in loom.items() if enough(one, one.lines & lines)), GONE)
        did = {READ: "read", SHELL: "ran"}.get(one.key[0], "searched")
        made = WentBack(
            did, _told(one), one.reply.index, events[before.at].index, wrote + shown,
            round(dollars, 6), round(minutes, 2), near,
        )  # fmt: skip
        first = found.get(one.key)
        found[one.key] = made if first is None else replace(
            first, tokens=first.tokens + made.tokens, times=first.times + 1,
            dollars=round(first.dollars + made.dollars, 6),
            minutes=round(first.minutes + made.minutes, 2),
            loom=max(first.loom, made.loom, key=order.index),
        )  # fmt: skip
    return found


def _told(one: Called) -> str:
    """The object of a call: its file, its command, or what it looked for."""
    kind, name = one.key
    values = [str(value) for value in one.given.arguments.values() if value not in ("", None)]
    looked = f"{one.call.name} {', '.join(values)}"
    return one_line({READ: brief(name), SHELL: one.command or name}.get(kind, looked), LENGTH)


def behind(session: Session, compaction: ClientCompaction) -> int:
    """Where the events that are looked at after a compaction end: at the next, or the session's."""
    later = [one.at for one in session.compactions if one.at > compaction.at]
    return min(compaction.at + AHEAD, len(session.events), *later)
