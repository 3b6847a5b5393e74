"""Typed lines worth keeping, found by the structure of a text and by general language.

Each scan yields candidates (position, fact) freely; `_choose` then keeps a few of each kind,
dearest kinds first, and puts them back in the order of the text. Only the first and last 20,000
characters of a text are scanned, so an entry of any size costs the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from loom.reduce.aliases import EDIT, READ, SHELL, WRITE, canonical
from loom.reduce.arguments import object_of, path_in
from loom.reduce.clauses import told
from loom.reduce.closings import closings
from loom.reduce.entities import fenced, ids, names
from loom.reduce.lines import window
from loom.reduce.phrases import BULLET, SENTENCE_END
from loom.reduce.rule import tool_meant
from loom.reduce.shell import command_of
from loom.text import printable
from loom_partitions.message import Fact

FACTS = 12  # facts of one reply
NAMES = 30  # names of one reply's calls
IDS = 40  # ids of one result, of one reply's calls
FILES = (READ, EDIT, WRITE)  # tools whose ids are not kept: what a file holds can be read again
LENGTH = 200  # characters of a fact
ENDS = 400  # … of each end of what a model said
THOUGHT = 150
SHORTENED = "shortened"  # what came of the fact of a longer text

# Most facts of one kind, in the order in which kinds are chosen when there are too many.
QUOTA: dict[str, int] = {"command": 4, "path": 5}

Candidate = tuple[int, Fact]


def facts_of_reply(
    text: str, calls: Sequence[tuple[str, str]], thought: str = ""
) -> tuple[Fact, ...]:
    """What a reply says, from both its ends, and what it touches; `calls` are (tool name, arguments
    as JSON text)."""
    seen = window(text)
    _, prose = fenced(seen)
    found: list[Candidate] = []
    for order, (name, arguments) in enumerate(calls):
        found.extend((len(seen) + order, fact) for fact in _touched(name, arguments))
    closed = (fact for _, fact in closings(prose))
    return (*_thought(thought), *_said(seen), *_choose(found), *closed, *_spoken_of(calls))


def _thought(text: str) -> Iterator[Fact]:
    words = " ".join(printable(window(text)).split())
    if len(words) > 2 * THOUGHT:
        yield Fact("thought", f"{words[:THOUGHT].rstrip()} … {words[-THOUGHT:].lstrip()}", came=SHORTENED)
    elif words:
        yield Fact("thought", words)


def _said(text: str) -> Iterator[Fact]:
    """What a model said, a long text from both ends: reasons and findings stand in the first and
    the last sentences of a message."""
    words = " ".join(printable(text).split())
    if len(words) > 2 * ENDS:
        yield Fact("model", f"{words[:ENDS].rstrip()} … {words[-ENDS:].lstrip()}", came=SHORTENED)
    elif words:
        yield Fact("model", words)


def _spoken_of(calls: Sequence[tuple[str, str]]) -> Iterator[Fact]:
    """The names calls speak of, and the ids."""
    told = [(name, object_of(arguments)) for name, arguments in calls]
    given = [(tool_meant(name, members) in FILES, members) for name, members in told]
    texts = [
        (file, window(value))
        for file, members in given
        for value in members.values()
        if isinstance(value, str)
    ]
    yield from in_one("name", (name for _, text in texts for name in names(text)), NAMES)
    for fact in in_one("id", (id for file, text in texts if not file for id in ids(text)), IDS):
        yield replace(fact, refs=fact.text)  # what a call names is used, not only seen


def in_one(kind: str, words: Iterable[str], most: int) -> Iterator[Fact]:
    """One fact with the first `most` different words, parted by blanks; none without a word."""
    found: dict[str, None] = {}
    for word in words:
        found[word] = None
        if len(found) == most:
            break
    if found:
        yield Fact(kind, " ".join(found))


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences and list items of a text with their positions, without bullets and headings."""
    at = 0
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if line.startswith("#", indent):
            at += len(line) + 1
            continue
        bullet = BULLET.match(line, indent)
        start = bullet.end() if bullet else indent
        for part in SENTENCE_END.split(line[start:]):
            if sentence := part.strip().lstrip("> "):
                yield at + start, sentence
            start += len(part)
        at += len(line) + 1


def _touched(name: str, arguments: str) -> Iterator[Fact]:
    """The path and the command of a call."""
    members = object_of(arguments)
    if path := path_in(members):
        yield Fact("path", path)
    if canonical(name) == SHELL and (command := command_of(members)):
        yield Fact("command", command)


def _choose(candidates: Iterable[Candidate]) -> tuple[Fact, ...]:
    """At most FACTS clean facts without repeats, within the quota of each kind, in order."""
    by_kind: dict[str, dict[str, int]] = {kind: {} for kind in QUOTA}
    for at, fact in candidates:
        line = told(printable(fact.text), LENGTH, 2 * LENGTH, otherwise="")
        if line and len(by_kind[fact.kind]) < QUOTA[fact.kind]:
            by_kind[fact.kind].setdefault(line, at)
    chosen: list[Candidate] = []
    for kind, lines in by_kind.items():
        for line, at in lines.items():
            if len(chosen) < FACTS:
                chosen.append((at, Fact(kind, line)))
    return tuple(fact for _, fact in sorted(chosen, key=lambda candidate: candidate[0]))
