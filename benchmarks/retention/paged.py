"""Loom as a strategy: through its public face, in a workspace of its own.

A needle that is not in the request is looked for as an agent would: by a name some line of the
request shows with what it comes from, else by `recall` with the words of the call at hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import loom
from benchmarks.retention.again import again
from benchmarks.retention.asking import met_by
from benchmarks.retention.labels import Holder, Need
from benchmarks.retention.needle import event_texts, held_by_any, message_texts
from benchmarks.retention.verdicts import DEEP, LOST, PAGE_IN, RECALL, RESIDENT, Finding
from loom.errors import LoomError
from loom.inputs import Event, Reply, ToolCall
from loom.providers.render.message import Message
from loom.replay.feed import feed
from loom_partitions.message import Step

REPLY = 4_000  # tokens kept for the reply; the window is that much larger than the capacity
ANSWER = 0.6  # characters of an answer for each token of the capacity: a quarter of it, and dense
MARGIN = 10  # lines asked for on either side
TOP = 5  # places of a search that an agent would look at
NAME = re.compile(r"\boutputs/[\w.-]*\w|\b[a-z]+_\d{4,}\b")
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
        shown = list(named_in(request))
        fitting = [(line, name) for line, name in shown if _says(line, name, need.holders)]
        asked = met_by(self.context, need, fitting, self.texts)
        named: dict[str, bool] = {}
        for line, name in shown:
            if not named.get(name) and self._holds(name, need.needle):
                named[name] = (line, name) in fitting
        if any(named.values()):
            holding = tuple(name for name in named if named[name])
            return Finding(PAGE_IN, entries, holding, asked=asked)
        recalled = self._recalled(need.query)
        found = tuple(name for name in recalled if self._holds(name, need.needle))
        verdict = RECALL if found else DEEP if entries else LOST
        return Finding(verdict, entries, tuple(named), found or tuple(recalled[:1]), asked)

    def fetch(self, need: Need, finding: Finding) -> Iterator[None]:
        """One call of `page_in` for a name the window shows, else one of `recall` before it.

        The name shown last is asked for; of what was recalled the first that holds the needle, as
        the lines found there let one choose. Where neither helps, the call that brought it is made
        again, as without Loom.
        """
        if finding.verdict == PAGE_IN:
            self._read(finding.named[-1], need)
            yield
        else:
            self._ask("recall", {"query": need.query})
            yield
            if self._misses(need) and finding.recalled:
                self._read(finding.recalled[0], need)
                yield
        if self._misses(need):
            self._asked += 1
            call, text = again(need, self._events, self._asked)
            self.context.reply(Reply((call,)))
            self.context.result(call.id, text)
            yield
            page = self._newest()
            if page and self._misses(need):
                self._read(page, need)
                yield

    def _misses(self, need: Need) -> bool:
        return self.find(need, self.request()).verdict != RESIDENT

    def _newest(self) -> str:
        """The page the last result rests on, "" for none."""
        step = next(self.context.window.history.stream.entries_back)
        return step.outcomes[-1].text.page if isinstance(step, Step) and step.outcomes else ""

    def _read(self, name: str, need: Need) -> None:
        """`page_in` for a name: whole, or where one answer cannot hold that, the lines it is about.

        An agent knows what it looks for, as it knows which of the names.
        """
        ways = {"ref": name}
        lines = self.context.page_in(name).text.splitlines()
        room = int(self.context.window.limits.capacity * ANSWER)
        if sum(len(line) + 1 for line in lines) > room:
            sought = [line.strip() for line in need.needle.splitlines() if line.strip()]
            found = [at for at, line in enumerate(lines, 1) if sought and sought[0] in line]
            if found:
                ends = found[-1] + need.needle.count("\n") + MARGIN
                ways["lines"] = f"{max(found[-1] - MARGIN, 1)}-{min(ends, len(lines))}"
        self._ask("page_in", ways)

    def _ask(self, tool: str, arguments: dict[str, str]) -> None:
        """A reply of the model that calls one of Loom's own tools, which Loom answers."""
        self._asked += 1
        call = ToolCall(f"asked_{self._asked}", tool, json.dumps(arguments, ensure_ascii=False))
        self.context.reply(Reply((call,)))

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


def named_in(request: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """(line, name) for every name of a page or an entry that a line of the request shows."""
    for text in message_texts(request):
        for match in NAME.finditer(text):
            start = text.rfind("\n", 0, match.start()) + 1
            end = text.find("\n", match.end())
            yield text[start : end if end >= 0 else len(text)], match[0]


def _says(line: str, name: str, holders: Sequence[Holder]) -> bool:
    """True when a line says what a name comes from; an entry of speech is said by its name."""
    for holder in holders:
        if any(phrase in line for phrase in holder.phrases):
            return True
        if not holder.phrases and ENTRY.fullmatch(name):
            return True
    return False
