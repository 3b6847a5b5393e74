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
from loom.reduce.clauses import clause_start, governs, told
from loom.reduce.closings import closings
from loom.reduce.decided import chosen_at
from loom.reduce.entities import fenced, ids, names
from loom.reduce.lines import window
from loom.reduce.phrases import BULLET, SENTENCE_END
from loom.reduce.planned import planned
from loom.reduce.rule import tool_meant
from loom.reduce.shell import command_of
from loom.text import printable
from loom_partitions.message import Fact

FACTS = 12  # facts of one reply
NAMES = 30  # names of one reply's calls
IDS = 40  # ids of one result, of one reply's calls
FILES = (READ, EDIT, WRITE)  # tools whose ids are not kept: what a file holds can be read again
LENGTH = 200  # characters of a fact
ENDS = 400

# Most facts of one kind, in the order in which kinds are chosen when there are too many.
QUOTA: dict[str, int] = {"decision": 6, "command": 4, "path": 5, "plan": 12}

Candidate = tuple[int, Fact]


def facts_of_reply(text: str, calls: Sequence[tuple[str, str]]) -> tuple[Fact, ...]:
    """Decisions of a reply and what it touches; `calls` are (tool name, arguments as JSON text)."""
    seen = window(text)
    _, prose = fenced(seen)
    found: list[Candidate] = []
    for order, (name, arguments) in enumerate(calls):
        found.extend((len(seen) + order, fact) for fact in _touched(name, arguments))
    closed = (fact for _, fact in closings(prose))
    words = " ".join(printable(text).split())
    if len(words) > 2 * ENDS:
        words = f"{words[:ENDS]} … {words[-ENDS:]}"
    said = [Fact("model", words)] if words else []
    return (*said, *_choose(found), *closed, *_spoken_of(calls))


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


def _around(sentence: str, at: int) -> str:
    """A sentence; of a long one the clause with the word at `at`, and what follows, where nothing
    before it governs it."""
    if len(sentence) <= LENGTH:
        return sentence
    start = clause_start(sentence, at)
    return sentence if not start or governs(sentence[:start]) else f"… {sentence[start:]}"


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
