"""What a session went back for: calls whose results say again what stood before a compaction.

Told by the lines of results alone. A call after it counts where it is one of those before it (the
same file, the same command, the same arguments), and most lines of its result stood there and have
not come back since. So what is new in a file, a second reading, and a check that ran because a file
was changed meanwhile are no going back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from loom.inputs import ClientCompaction, Event, Reply, Result, Session, Speech, ToolCall
from loom.providers.prices import MILLION, Prices
from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.arguments import path_in
from loom.reduce.commands import parsed
from loom.reduce.files import pairs_of, unnumbered
from loom.reduce.lines import window
from loom.reduce.rule import ToolResult, tool_result
from loom.reduce.shell import command_of
from loom.reduce.verdict import is_check
from loom.replay.lost.holding import stems
from loom.replay.lost.things import brief
from loom.text import one_line

GONE = "gone"  # where Loom has what is neither in view nor one page away
AHEAD = 120  # messages after a compaction
SAME = {READ: 0.5}  # share of a result's lines that stood before …
OTHERS = 0.8  # … of any other tool
LINES = 3  # telling lines of a result that says something, at least …
SIGNS = 8  # … of so many characters
LENGTH = 120

Key = tuple[str, str]


class WentBack(Struct, frozen=True):
    """A call that brought back what had stood at message `before`: what it did (read, ran,
    searched or asked), to what, and where.

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


class _Called(Struct, frozen=True):
    """A call with its result, and where both stand among the events."""

    at: int
    call: ToolCall
    result: Result
    given: ToolResult
    calls: int  # of its reply

    @property
    def key(self) -> Key:
        """What it has in common with a call that does the same."""
        path, command = path_in(self.given.arguments), command_of(self.given.arguments)
        if self.given.tool in (READ, EDIT, WRITE) and path:
            return READ, path
        if self.given.tool == SHELL and command:
            return SHELL, parsed(command).key
        return self.call.name, self.call.arguments

    @property
    def lines(self) -> frozenset[str]:
        """The telling lines of what it showed, or put into a file."""
        texts = [self.result.text]
        if self.given.tool in (EDIT, WRITE):
            held = self.given.arguments
            texts += [new for _, new in pairs_of(held)]
            texts += [one for one in held.values() if isinstance(one, str)]
        return telling(texts)

    @property
    def changes(self) -> bool:
        """True where it changed a file."""
        return self.given.tool in (EDIT, WRITE)

    def told(self) -> str:
        """What it was done to."""
        kind, name = self.key
        searched = f"{self.call.name} {self.call.arguments}"
        command = command_of(self.given.arguments) or name
        return one_line({READ: brief(name), SHELL: command}.get(kind, searched), LENGTH)


def telling(texts: Iterable[str]) -> frozenset[str]:
    """The lines of texts that say something, without the numbers a tool put before them."""
    lines = (line.strip() for text in texts for line in unnumbered(text).split("\n"))
    return frozenset(line for line in lines if len(line) >= SIGNS)


class WindowLines:
    """The lines of what a window showed, by what calls did, and which of them came back."""

    def __init__(self) -> None:
        self._stood: dict[Key, dict[str, int]] = {}  # a line, and the message it stood at
        self._ran: dict[Key, int] = {}
        self._changed = -1

    def take(self, one: _Called) -> None:
        """What a call showed before the compaction."""
        self._ran[one.key] = one.at
        self._changed = one.at if one.changes else self._changed
        stood = self._stood.setdefault(one.key, {})
        stood.update(dict.fromkeys(one.lines, one.at))

    def kept(self, lines: Iterable[str]) -> None:
        """What stood on beside the summary did not leave."""
        for stood in self._stood.values():
            for line in lines:
                stood.pop(line, None)

    def again(self, one: _Called) -> int:
        """The event at which most of what a call shows stood before, -1 for none; from now on that
        is known again."""
        stood, lines, key = self._stood.get(one.key, {}), one.lines, one.key
        changed = max(self._changed, one.at if one.changes else -1)
        checks = key[0] == SHELL and is_check(parsed(key[1]))
        stale = checks and self._changed > self._ran.get(key, -1)
        back = [stood.pop(line) for line in lines if line in stood]
        self._changed = changed
        if one.changes or stale or one.result.error or len(lines) < LINES:
            return -1
        return max(back) if len(back) >= SAME.get(key[0], OTHERS) * len(lines) else -1


def called(events: Sequence[Event], first: int, end: int) -> Iterator[_Called]:
    """The calls between two events that have a result."""
    reply: Reply | None = None
    at = first
    for number in range(first, end):
        event = events[number]
        if isinstance(event, Reply):
            reply, at = event, number
        elif isinstance(event, Result) and reply is not None:
            calls = {call.id: call for call in reply.calls}
            if (call := calls.get(event.call_id)) is not None:
                given = tool_result(call.name, call.arguments, window(event.text), event.error)
                yield _Called(at, call, event, given, len(calls))


def went_back(
    session: Session,
    compaction: ClientCompaction,
    stood: WindowLines,
    prices: Prices,
    count: Callable[[str], int],
    loom: Mapping[str, frozenset[str]],
) -> Iterator[WentBack]:
    """What was read, run and searched again in the `AHEAD` messages after a compaction, or until
    the next one. `stood` has what the window showed, and is used up; `loom` the lines that Loom
    would have had, by where, the nearest first."""
    events, times = session.events, session.times
    for one in called(events, compaction.at, behind(session, compaction)):
        if (before := stood.again(one)) < 0:
            continue
        reply = events[one.at]
        assert isinstance(reply, Reply)
        wrote, shown = count(one.call.arguments), count(one.result.text)
        taken = prices.read * reply.prompt_tokens / one.calls
        dollars = (taken + prices.output * wrote + prices.write * shown) / MILLION
        place = next(n for n in range(one.at, len(events)) if events[n] is one.result)
        minutes = 0.0
        if times and times[place] and (began := times[max(one.at - 1, 0)]):
            minutes = max(times[place] - began, 0) / 60_000 / one.calls
        least = SAME.get(one.key[0], OTHERS) * len(one.lines)
        near = (where for where, lines in loom.items() if len(one.lines & lines) >= least)
        did = {READ: "read", SHELL: "ran"}.get(one.key[0], "searched")
        yield WentBack(
            did, one.told(), reply.index, events[before].index, wrote + shown,
            round(dollars, 6), round(minutes, 2), next(near, GONE),
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


def behind(session: Session, compaction: ClientCompaction) -> int:
    """Where the events that are looked at after a compaction end."""
    later = [one.at for one in session.compactions if one.at > compaction.at]
    return min([compaction.at + AHEAD, len(session.events), *later])
