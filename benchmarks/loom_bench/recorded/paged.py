"""Loom as a strategy on a recorded session, asked as an agent would ask.

It knows what the call at hand is about, never the needle. Of the names the request shows on a line
that says what they come from, it takes the last. It asks for the terms it has said with this call;
without any for the lines that were left out there, else for the whole. When the answer says that
it was cut, it asks once more, for the lines that the answer names.

A needle that is not in the request is looked for as an agent would: by a name some
line of the request shows with what it comes from, else by `recall` with the words of the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import loom
from loom.errors import LoomError
from loom.inputs import Event, Reply, Result, ToolCall
from loom.providers.render.message import Message
from loom.replay.feed import feed
from loom_bench.recorded.labels import Holder, Need
from loom_bench.recorded.ledger import DEEP, LOST, PAGE_IN, RECALL, RESIDENT, Finding
from loom_bench.sessions.needle import event_texts, held_by_any, message_texts
from loom_bench.strategies.by_loom import NAME, Ways, named_in, would_answer
from loom_partitions.message import Step


def again(need: Need, events: Sequence[Event], number: int) -> tuple[ToolCall, str]:
    """The call, and the result it brings: the newest result that held the needle, whole.

    What was said comes as the result of a call that asks for it.
    """
    holders = [events[holder.at] for holder in need.holders]
    results = [event for event in holders if isinstance(event, Result)]
    event = (results or holders)[-1]
    text = event.text if isinstance(event, Result) else "\n".join(event_texts(event))
    call = _call_of(event, events)
    return ToolCall(f"again_{number}", call.name, call.arguments), text


def _call_of(event: Event, events: Sequence[Event]) -> ToolCall:
    """The call that a result answers; for anything else a call that asks for it."""
    if isinstance(event, Result):
        replies = (one for one in reversed(events) if isinstance(one, Reply))
        calls = (call for reply in replies for call in reply.calls)
        return next(call for call in calls if call.id == event.call_id)
    return ToolCall("", "read_again", "{}")


LEFT_OUT = re.compile(r"lines? (\d+)[–-](\d+)[^→\n]*→ *$")  # before a name: what is not shown there
MORE = re.compile(r"\[more: page_in \S+ lines=(\d+-\d+)\]")

Newest = tuple[str, str] | None  # a line and the name on it


def calls(context: loom.Context, name: str, terms: Sequence[str], line: str = "") -> Iterator[Ways]:
    """The call for a name that a line shows, and the next when its answer says there is more."""
    asked = {"ref": name, **_part(line, name, terms)}
    more = MORE.search(would_answer(context, "page_in", asked))
    yield asked
    if more is not None:
        yield {"ref": name, "lines": more[1]}


def _part(line: str, name: str, terms: Sequence[str]) -> Ways:
    """What is asked of a name beside it."""
    if terms:
        return {"grep": "|".join(map(re.escape, terms))}
    left = LEFT_OUT.search(line[: line.find(name)])
    return {"lines": f"{left[1]}-{left[2]}"} if left else {}


REPLY = 4_000  # tokens kept for the reply; the window is that much larger than the capacity
TOP = 5  # places of a search that an agent would look at
FILES = re.compile(r"\s*((?:[\w.-]*/)+): ")
ENTRY = re.compile(r"(?:user|step)_\d{4,}")


class Paged:
    """One session in Loom, at one capacity. Raises what Loom raises."""

    def __init__(self, capacity: int, *, own_tools: bool = False) -> None:
        self._folder = TemporaryDirectory(prefix="loom-retention-")
        self.context = loom.open(
            Path(self._folder.name) / "workspace",
            window=capacity + REPLY,
            reply=REPLY,
            policy=loom.Policy(own_tools=own_tools),
            durable=False,
        )
        held = self.context.window.limits.capacity
        if held != capacity:
            self.close()
            raise ValueError(f"the capacity is {held:,} tokens, not {capacity:,}")
        self.tools: tuple[str, ...] = ()
        self.rescued = 0
        self._asked = 0
        self._events: list[Event] = []
        self._entries: list[int | None] = []  # of each event
        self._known: dict[str, tuple[str, ...]] = {}

    def feed(self, event: Event) -> None:
        """Take in the next event."""
        self._events.append(event)
        ingested = feed(self.context, event)
        self._entries.append(ingested.entry if ingested is not None else None)

    def request(self) -> Sequence[Message]:
        """The messages of the next turn."""
        turn = self.context.turn()
        self.tools = turn.tools
        return turn.messages

    def find(self, need: Need, request: Sequence[Message]) -> Finding:
        """Where the needle is, when that request would be sent."""
        entries = tuple(self._holding(need))
        if held_by_any(need.needle, message_texts(request)):
            return Finding(RESIDENT, entries)
        fitting = [one for one in named_in(request) if _says(*one, need.holders)]
        newest = fitting[-1] if fitting else None
        named: dict[str, bool] = {}
        for line, name in named_in(request):
            if not named.get(name) and self._holds(name, need.needle):
                named[name] = (line, name) in fitting
        if any(named.values()):
            holding = tuple(name for name in named if named[name])
            return Finding(PAGE_IN, entries, holding, (), newest)
        places = self._search(need)
        held = any(self._holds(name, need.needle) for name in places)
        verdict = RECALL if held else DEEP if entries else LOST
        return Finding(verdict, entries, tuple(named), places, newest)

    def _search(self, need: Need) -> tuple[str, ...]:
        """The places of a search that hold the needle, or the first when none does."""
        recalled = self._recalled(need.query)
        found = tuple(name for name in recalled if self._holds(name, need.needle))
        return found or tuple(recalled[:1])

    def fetch(self, need: Need, finding: Finding) -> Iterator[str]:
        """Ask for the newest fitting name, then `recall` and ask for a place it names.

        Of the places the first that holds the needle is asked for, as the lines found there let one
        choose. Where neither helps, the call that brought it is made again, as without Loom.
        """
        if finding.newest is not None:
            yield from self._read(need, *reversed(finding.newest))
        if finding.newest is None or self._misses(need):
            yield self._ask("recall", {"query": need.query})
        if self._misses(need) and (places := finding.recalled or self._search(need)):
            yield from self._read(need, places[0])
        if self._misses(need):
            self._asked += 1
            call, text = again(need, self._events, self._asked)
            self.context.reply(Reply((call,)))
            self.context.result(call.id, text)
            yield call.arguments
            if self._misses(need) and (page := self._newest()):
                yield from self._read(need, page)

    def _read(self, need: Need, name: str, line: str = "") -> Iterator[str]:
        """`page_in` for a name, and once more when there is more and the needle is not there."""
        for number, ways in enumerate(calls(self.context, name, need.terms, line)):
            if number and not self._misses(need):
                return
            self._ask("page_in", ways)
            yield name.rpartition("/")[2].partition(".")[0]

    def _misses(self, need: Need) -> bool:
        return not held_by_any(need.needle, message_texts(self.request()))

    def _newest(self) -> str:
        """The page the last result rests on, "" for none."""
        step = next(self.context.window.history.stream.entries_back)
        return step.outcomes[-1].text.page if isinstance(step, Step) and step.outcomes else ""

    def _ask(self, tool: str, arguments: Ways) -> str:
        """A reply of the model that calls one of Loom's own tools, which Loom answers; no name."""
        self._asked += 1
        call = ToolCall(f"asked_{self._asked}", tool, json.dumps(arguments, ensure_ascii=False))
        self.context.reply(Reply((call,)))
        return ""

    def close(self) -> None:
        """Close the workspace and remove it."""
        self.context.close()
        self._folder.cleanup()

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts an agent gets for a name; none when nothing has it."""
        known = self._known.get(name) or tuple(self._restored(name))
        if known:  # a name may come to be later
            self._known[name] = known
        return known

    def _holds(self, name: str, needle: str) -> bool:
        return held_by_any(needle, self.texts(name))

    def _restored(self, name: str) -> Iterator[str]:
        try:
            if not ENTRY.fullmatch(name):
                yield self.context.page_in(name).text
                return
            entry = self.context.history.restore(name)
        except LoomError:
            return
        yield entry.text
        yield from entry.results.values()
        if entry.reply is not None:
            yield from event_texts(entry.reply)

    def _holding(self, need: Need) -> Iterator[str]:
        """The names of the entries that hold the needle, in order."""
        ids = {self._entries[holder.at] for holder in need.holders}
        for id in sorted(id for id in ids if id is not None):
            for name in (f"step_{id:04d}", f"user_{id:04d}"):
                if self._holds(name, need.needle):
                    yield name
                    break

    def _recalled(self, query: str) -> list[str]:
        """The first places a recall names; their lines are indented."""
        lines = self.context.recall(query).splitlines() if query else []
        heads = (NAME.match(line) for line in lines if not line.startswith(" "))
        return list(dict.fromkeys(match[0] for match in heads if match))[:TOP]


def _says(line: str, name: str, holders: Sequence[Holder]) -> bool:
    """True when a line says what a name comes from; an entry of speech is said by its name."""
    paths = list(_listed(line, name))
    for holder in holders:
        if not holder.phrases and ENTRY.fullmatch(name):
            return True
        if any(phrase in line or _ends(phrase, paths) for phrase in holder.phrases):
            return True
    return False


def _listed(line: str, name: str) -> Iterator[str]:
    """The files a name is of on a line that says their folder first.

    Such a line reads `app/: parser.go read_0001 read_0004, scan.go read_0002`.
    """
    found = FILES.match(line)
    if found is not None:
        items = line[found.end() :].split(", ")
        folder = found[1].removeprefix("./")
        yield from (folder + item.split(" ")[0] for item in items if name in item)


def _ends(phrase: str, paths: Sequence[str]) -> bool:
    """True when one of the paths ends as a phrase does, as far as both are given."""
    return any(
        f"/{path}".endswith(f"/{phrase}") or f"/{phrase}".endswith(f"/{path}") for path in paths
    )
