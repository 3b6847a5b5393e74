"""Items that calls use after a recorded compaction, and how to tell that a text holds one.

Their forms are found here by rules of this file alone, never by Loom's own, so what Loom takes for
a path decides nothing about what is looked for.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from loom.inputs import Event, Reasoning, Reply, Session, ToolCall
from loom.providers.counts import Counter
from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock
from loom.replay.importers import find, load
from loom.replay.importers.rows import read_rows
from loom.replay.importers.talks import Talk, split_into_talks

KINDS = ("path", "identifier", "edit")
PATH_KEYS = frozenset(("file_path", "filepath", "path", "target_file", "notebook_path"))
COMMAND_KEYS = frozenset(("command", "cmd"))
OLD_KEYS = frozenset(("old_string", "old_str", "oldtext", "old"))
EDIT_LEAST = 40  # characters of an edit's old text
IDENTIFIERS_MOST = 50  # of one boundary, the first used

# An extension is written small, and an address of mail is no file.
_PATH = re.compile(r"(?<![\w@.~+-])(?:[\w.@~+-]*/)*[\w~+-][\w.~+-]*\.[a-z][a-z0-9_]{0,7}\b(?!@)")
_URL = re.compile(r"\w+://\S+")
_WORD = re.compile(r"[A-Za-z_]\w{5,}")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z][0-9]")
# What file tools write before a line: `   12→`, `12<tab>`, `12: `, `12-` of a search.
_NUMBERED = re.compile(r"^ *\d+(?:→|\t|: |[:-])", re.MULTILINE)


class CarriedItem(Struct, frozen=True):
    """Something a call used: a kind of KINDS, and the text that has to stand somewhere."""

    kind: str
    text: str


def used(calls: Iterable[ToolCall]) -> list[CarriedItem]:
    """The items of some calls, each once, in the order of use."""
    found: dict[CarriedItem, None] = {}
    for call in calls:
        for key, value in strings(call.arguments):
            found |= dict.fromkeys(_items(key.lower(), value))
    return list(found)


def _items(key: str, value: str) -> Iterator[CarriedItem]:
    if key in PATH_KEYS:
        if _PATH.fullmatch(value.rpartition("/")[2]):
            yield CarriedItem("path", _file(value))
        return
    rest = value
    if key in COMMAND_KEYS:
        rest = _URL.sub(" ", value)
        for match in _PATH.finditer(rest):
            yield CarriedItem("path", _file(match[0]))
        rest = _PATH.sub(" ", rest)
    if key in OLD_KEYS and len(value) >= EDIT_LEAST:
        yield CarriedItem("edit", value)
    for match in _WORD.finditer(rest):
        if _MIXED.search(match[0]):
            yield CarriedItem("identifier", match[0])


def _file(path: str) -> str:
    """The end of a path that is compared: the name of its file."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return parts[-1] if parts else ""


def strings(arguments: str) -> Iterator[tuple[str, str]]:
    """(key, value) of every text in a call's arguments; what is no JSON comes whole, without key.

    Texts in lists and nested objects come under the nearest key.
    """
    try:
        value = json.loads(arguments)
    except ValueError:
        value = arguments
    yield from _texts("", value)


def _texts(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for inner, one in value.items():
            yield from _texts(str(inner), one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(key, one)


class ShownTexts:
    """Texts, asked whether one of them holds an item; nothing is found across two of them.

    Line numbers that a file tool put before lines are looked through.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._words: set[str] = set()
        self.add(texts)

    def add(self, texts: Iterable[str]) -> None:
        """More texts."""
        for text in texts:
            self._texts += dict.fromkeys((text, _NUMBERED.sub("", text)))
            self._words.update(_WORD.findall(text))

    def holds(self, item: CarriedItem) -> bool:
        """True when the item stands in one of the texts: words and paths whole, edits exactly."""
        if item.kind == "identifier":
            return item.text in self._words
        if item.kind == "edit":
            return any(item.text in text for text in self._texts)
        whole = re.compile(rf"(?<![\w.-]){re.escape(item.text)}(?!\w)")
        return any(item.text in text and whole.search(text) for text in self._texts)


def spoken(event: Event) -> list[str]:
    """The texts of an event; reasoning is left out, it is not sent again as text."""
    if not isinstance(event, Reply):
        return [event.text]
    texts: list[str] = []
    for part in event.parts:
        if isinstance(part, ToolCall):
            texts += [part.name, *(value for _, value in strings(part.arguments))]
        elif not isinstance(part, Reasoning):
            texts.append(part.text)
    return texts


def rendered(messages: Iterable[Message]) -> list[str]:
    """The texts of a request as a model reads them, the arguments of calls unescaped."""
    texts: list[str] = []
    for message in messages:
        for block in message.blocks:
            if isinstance(block, CallBlock):
                texts += [block.name, *(value for _, value in strings(block.arguments))]
            elif isinstance(block, TextBlock | ResultBlock):
                texts.append(block.text)
    return texts


AHEAD = 120  # messages after a boundary whose calls say what was needed


class Boundary(Struct, frozen=True):
    """One compaction. `at` is the number of its message, `needed` what was used after it."""

    at: int
    summary: str
    needed: tuple[CarriedItem, ...]


class Compacted(Struct, frozen=True):
    """A session with its compactions; its events are without the summaries written then.

    A window that never ends has none of these summaries, so none is fed to it, and none is a
    source of what could have been carried.
    """

    name: str
    events: tuple[Event, ...]
    boundaries: tuple[Boundary, ...]


def compacted(folders: Iterable[Path]) -> Iterator[Compacted]:
    """The sessions that hold a compaction and its summary. Raises BadSession."""
    for path in find(folders):
        for session, talk in zip(load(path), split_into_talks(path, read_rows(path)), strict=True):
            marks = list(_marks(talk))
            if marks:
                yield _compacted(session, marks)


def _marks(talk: Talk) -> Iterator[tuple[int, int]]:
    """(number of the boundary, number of the summary that follows it)."""
    at = -1
    for item in talk.items:
        if item.value.get("compact_boundary") or item.value.get("subtype") == "compact_boundary":
            at = item.index
        if item.value.get("compact_summary") or item.value.get("isCompactSummary"):
            yield (at if at >= 0 else item.index), item.index
            at = -1


def _compacted(session: Session, marks: Sequence[tuple[int, int]]) -> Compacted:
    summaries = {number for _, number in marks}
    texts = {event.index: event for event in session.events if event.index in summaries}
    events = tuple(event for event in session.events if event.index not in summaries)
    before, called = ShownTexts(), ShownTexts()  # what stood before, of it what calls had used
    fed = 0
    found = []
    for at, number in marks:
        while fed < len(events) and events[fed].index < at:
            event, fed = events[fed], fed + 1
            before.add(spoken(event))
            for call in event.calls if isinstance(event, Reply) else ():
                called.add(text for _, text in strings(call.arguments))
        summary = "\n".join(spoken(texts[number])) if number in texts else ""
        found.append(Boundary(at, summary, _needed(events, number, before, called)))
    return Compacted(session.name, events, tuple(found))


def _needed(
    events: Iterable[Event], after: int, before: ShownTexts, called: ShownTexts
) -> tuple[CarriedItem, ...]:
    """Items the calls of the AHEAD messages from `after` on use, and that were there to be carried.

    Files and identifiers are those that earlier calls had used, so they were in use when the window
    was compacted; an edit's old text may have stood anywhere.
    """
    calls = (
        call
        for event in events
        if isinstance(event, Reply) and after < event.index <= after + AHEAD
        for call in event.calls
    )
    there = {"edit": before}
    carried = [item for item in used(calls) if there.get(item.kind, called).holds(item)]
    identifiers = [item for item in carried if item.kind == "identifier"][:IDENTIFIERS_MOST]
    return (*(item for item in carried if item.kind != "identifier"), *identifiers)


def tail(events: Sequence[Event], before: int, tokens: int, count: Counter) -> list[str]:
    """The newest texts before a message, `tokens` of them; the oldest is cut at its front."""
    kept: list[str] = []
    left = tokens
    for event in reversed(events):
        if event.index >= before:
            continue
        for text in reversed(spoken(event)):
            size = count(text)
            if size > left:
                return [*kept, _end(text, left, count)]
            kept.append(text)
            left -= size
    return kept


def _end(text: str, tokens: int, count: Counter) -> str:
    """The end of a text that takes at most `tokens`."""
    most = min(len(text), tokens * 20)  # characters that may fit
    fit = bisect_right(range(1, most + 1), tokens, key=lambda size: count(text[-size:]))
    return text[len(text) - fit :]
