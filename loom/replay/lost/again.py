"""What a session went back for: calls whose results say again what stood before a compaction.

Told by the lines of results alone. A call after it counts where it is one of those before it (the
same file, the same command, the same arguments), and most lines of its result stood there and have
not come back since. So what is new in a file, a second reading, and a check that ran because a file
was changed meanwhile are no going back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from loom.inputs import ClientCompaction, Reply, Session, Speech
from loom.providers.prices import MILLION, Prices
from loom.reduce.aliases import READ, SHELL
from loom.reduce.commands import parsed
from loom.reduce.verdict import is_check
from loom.replay.lost.calls import Called, Key
from loom.replay.lost.holding import stems
from loom.replay.lost.things import brief
from loom.text import one_line

GONE = "gone"  # where Loom has what is neither in view nor one page away
AHEAD = 120  # messages after a compaction
SAME = {READ: 0.6}  # share of a result's lines that stood before …
OTHERS = 0.8  # … of any other tool
LINES = 3  # telling lines of a result that says something, at least
LENGTH = 120


class WentBack(Struct, frozen=True):
    """A call that brought back what had stood at message `before`: what it did (read, ran,
    searched or asked), to what, and where; `written` where it was the agent that wrote it there.

    Tokens are of the call and its result; the dollars are theirs and the call's share of the
    request they took; minutes from that request to the result. `loom` says where most of its lines
    would have been with Loom.
    """

    did: str
    what: str
    message: int
    before: int
    tokens: int
    dollars: float
    minutes: float
    loom: str = ""
    written: bool = False


class WindowLines:
    """The lines of what a window showed, by what calls did, and which of them came back."""

    def __init__(self) -> None:
        self._stood: dict[Key, dict[str, list[Called]]] = {}  # a line, and the calls that showed it
        self._ran: dict[Key, int] = {}
        self._changed = -1

    def take(self, one: Called) -> None:
        """Take in the lines a call showed before the compaction."""
        self._ran[one.key] = one.at
        self._changed = one.at if one.changes else self._changed
        stood = self._stood.setdefault(one.key, {})
        for line in one.lines:
            stood.setdefault(line, []).append(one)

    def kept(self, lines: Iterable[str]) -> None:
        """Take away the lines that were kept beside the summary."""
        for stood in self._stood.values():
            for line in lines:
                stood.pop(line, None)

    def again(self, one: Called) -> Called | None:
        """Return the earlier call that showed most lines of this call's result, the latest of
        several; None where too few of the lines had been shown. The lines count as back."""
        stood, lines, key = self._stood.get(one.key, {}), one.lines, one.key
        changed = max(self._changed, one.at if one.changes else -1)
        checks = key[0] == SHELL and is_check(parsed(key[1]))
        stale = checks and self._changed > self._ran.get(key, -1)
        back = [stood.pop(line) for line in lines if line in stood]
        self._changed = changed
        if one.changes or stale or one.result.error or len(lines) < LINES:
            return None
        if len(back) < least_of(one):
            return None
        shared = Counter(each for before in back for each in before)
        return max(shared, key=lambda each: (shared[each], each.at))


def least_of(one: Called) -> float:
    """How many of its lines must have stood before."""
    return SAME.get(one.key[0], OTHERS) * len(one.lines)


def _told(one: Called) -> str:
    """The object of a call: its path, command or query."""
    kind, name = one.key
    searched = f"{one.call.name} {one.call.arguments}"
    return one_line({READ: brief(name), SHELL: one.command or name}.get(kind, searched), LENGTH)


def went_back(
    session: Session,
    calls: Sequence[Called],
    stood: WindowLines,
    prices: Prices,
    count: Callable[[str], int],
    loom: Mapping[str, frozenset[str]],
) -> Iterator[WentBack]:
    """What was read, run and searched again by the `calls` after a compaction. `stood` has what the
    window showed, and is used up; `loom` the lines that Loom would have had, by where, the nearest
    first."""
    events, times = session.events, session.times
    for one in calls:
        if (before := stood.again(one)) is None:
            continue
        reply = one.reply
        wrote, shown = count(one.call.arguments), count(one.result.text)
        taken = prices.read * reply.prompt_tokens / len(one.reply.calls)
        dollars = (taken + prices.output * wrote + prices.write * shown) / MILLION
        minutes = 0.0
        if times and times[one.place] and (began := times[max(one.at - 1, 0)]):
            minutes = max(times[one.place] - began, 0) / 60_000 / len(one.reply.calls)
        near = (where for where, lines in loom.items() if len(one.lines & lines) >= least_of(one))
        written = 2 * len(one.lines & before.wrote) > len(one.lines & before.lines)
        did = {READ: "read", SHELL: "ran"}.get(one.key[0], "searched")
        yield WentBack(
            did, _told(one), reply.index, events[before.at].index, wrote + shown,
            round(dollars, 6), round(minutes, 2), next(near, GONE), written,
        )  # fmt: skip


def asked_again(
    session: Session,
    compaction: ClientCompaction,
    answered: Mapping[str, int],
    prices: Prices,
    count: Callable[[str], int],
    loom: Mapping[str, frozenset[str]],
) -> Iterator[WentBack]:
    """Questions after a compaction that the user had answered: `answered` has each with the event
    of its answer."""
    events, times = session.events, session.times or (0,) * len(session.events)
    known = {question: words for question in answered if len(words := stems(question)) >= LINES}
    for at in range(compaction.at, behind(session, compaction)):
        reply = events[at]
        if not isinstance(reply, Reply) or not (text := _question(reply)):
            continue
        asks = stems(text.rstrip().split("\n")[-1])
        for question, words in known.items():
            if len(words & asks) >= OTHERS * len(words | asks):
                tokens = count(text)
                dollars = (prices.read * reply.prompt_tokens + prices.output * tokens) / MILLION
                waited = next((when for when in times[at + 1 :] if when), times[at]) - times[at]
                held = (one for one, lines in loom.items() if any(question in it for it in lines))
                yield WentBack(
                    "asked", f'"{question}"', reply.index, events[answered[question]].index, tokens,
                    round(dollars, 6), round(max(waited, 0) / 60_000, 2), next(held, GONE),
                )  # fmt: skip


def _question(reply: Reply) -> str:
    """What a reply says that ends in a question and waits for the user; "" for any other."""
    said = [part.text for part in reply.parts if isinstance(part, Speech)]
    asks = bool(said) and not reply.calls and said[-1].rstrip(" *_)`\n").endswith(("?", "？"))
    return "\n".join(said) if asks else ""


def until(session: Session, compaction: ClientCompaction) -> int:
    """The event at which the next compaction is made, or the session ends."""
    later = [one.at for one in session.compactions if one.at > compaction.at]
    return min([len(session.events), *later])


def behind(session: Session, compaction: ClientCompaction) -> int:
    """Where the events that are looked at after a compaction end."""
    return min(compaction.at + AHEAD, until(session, compaction))
