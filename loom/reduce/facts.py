"""Typed lines worth keeping, found by the structure of a text and by general language.

Each scan yields candidates (position, fact) freely; `_choose` then keeps a few of each kind,
dearest kinds first, and puts them back in the order of the text. Only the first and last 20,000
characters of a text are scanned, so an entry of any size costs the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from loom.reduce.aliases import SHELL, canonical
from loom.reduce.arguments import object_of, parse, path_in
from loom.reduce.entities import fenced, names, paths, ticked
from loom.reduce.lines import failing_lines, last_lines, untagged
from loom.reduce.phrases import BULLET, DECISION, NUMBER, PLAN, QUESTION, RULE, SAYS, SENTENCE_END
from loom.reduce.shell import command_of, streams
from loom.text import one_line, printable
from loom_partitions.message import Fact, Reduction

WINDOW = 20_000  # characters scanned at either end of a text
FACTS = 12  # facts of one entry …
SAID = 24  # … and of a message of the user: whatever was said may be what was laid down
NAMES = 30  # names of one reply's calls
LENGTH = 200  # characters of a fact
CONTEXT = 40  # characters before a telling word or number that are kept with it
ERRORS = 3  # error lines of one result

# Most facts of one kind, in the order in which kinds are chosen when there are too many.
QUOTA: dict[str, int] = {
    "rule": 8, "user": 12, "decision": 6, "error": 4, "question": 4, "command": 4, "path": 5,
    "number": 3, "plan": 3, "symbol": 2,
}  # fmt: skip

Candidate = tuple[int, Fact]


def facts_of_user(text: str) -> tuple[Fact, ...]:
    """The facts of a message of the user: its sentences, and the things they name.

    A sentence is a rule, a question, or simply what the user said: what binds is not always said
    in a word that shows it.
    """
    seen = window(text)
    commands, prose = fenced(seen)
    found = [(at, Fact("command", line)) for at, line in commands]
    for at, sentence in sentences(untagged(prose)):
        if QUESTION.search(sentence):
            found.append((at, Fact("question", sentence)))
        elif force := RULE.search(sentence):
            found.append((at, Fact("rule", _around(sentence, force.start()))))
        elif SAYS.search(sentence):
            found.append((at, Fact("user", sentence)))
    return _choose([*found, *_named(prose), *_numbers(prose)], SAID)


def facts_of_reply(text: str, calls: Sequence[tuple[str, str]]) -> tuple[Fact, ...]:
    """Decisions of a reply and what it touches; `calls` are (tool name, arguments as JSON text)."""
    seen = window(text)
    _, prose = fenced(seen)
    found: list[Candidate] = []
    for at, sentence in sentences(prose):
        if choice := DECISION.search(sentence):
            found.append((at, Fact("decision", _around(sentence, choice.start()))))
        elif PLAN.search(sentence):
            found.append((at, Fact("plan", sentence)))
    for order, (name, arguments) in enumerate(calls):
        found.extend((len(seen) + order, fact) for fact in _touched(name, arguments))
    return (*_choose(found), *_spoken_of(calls))


def _spoken_of(calls: Sequence[tuple[str, str]]) -> Iterator[Fact]:
    """One fact with the names calls speak of, parted by blanks."""
    found: dict[str, None] = {}
    for _, arguments in calls:
        for value in object_of(arguments).values():
            if isinstance(value, str) and len(found) < NAMES:
                found |= dict.fromkeys(names(window(value)))
    if found:
        yield Fact("name", " ".join(islice(found, NAMES)))


def facts_of_result(reduction: Reduction, result: str, error: bool) -> tuple[Fact, ...]:
    """The error lines of a result that failed, and the path it is about."""
    path = reduction.minimal_args.get("path")
    found = [(0, Fact("path", path))] if isinstance(path, str) and path else []
    code: int | None = None
    body = window(result)
    if len(result) <= 2 * WINDOW or reduction.tool == SHELL:
        out, err, code = streams(parse(result), result)
        body = window(err if err.strip() else out) or body
    body = untagged(body)
    if error or (reduction.tool == SHELL and code):
        lines = failing_lines(body, ERRORS) or last_lines(body, ERRORS)
        found.extend((1 + at, Fact("error", line)) for at, line in enumerate(lines))
    return _choose(found)


def window(text: str) -> str:
    """The part of a text that is scanned: all of it, or its first and last `WINDOW` characters."""
    return text if len(text) <= 2 * WINDOW else f"{text[:WINDOW]}\n{text[-WINDOW:]}"


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
    """A sentence, or the part of a long one around the word at `at`."""
    start = max(0, at - CONTEXT) if len(sentence) > LENGTH else 0
    return f"…{sentence[start:]}" if start else sentence


def _named(text: str) -> Iterator[Candidate]:
    """The paths, commands and symbols a text names."""
    yield from ((at, Fact("path", path)) for at, path in paths(text))
    yield from ((at, Fact(kind, inside)) for at, kind, inside in ticked(text))


def _numbers(text: str) -> Iterator[Candidate]:
    """The measures and settings of a text, each with the words before it on its line."""
    for found in NUMBER.finditer(text):
        start = max(0, found.start() - CONTEXT)
        start = max(start, text.rfind("\n", start, found.start()) + 1)
        before = text[start : found.start()]
        # The words of another sentence, or half a word, say nothing about the number.
        before = before.rpartition(". ")[2]
        if start and text[start - 1] not in " \n":
            before = before.partition(" ")[2]
        yield found.start(), Fact("number", before + found[0].lstrip("-* ").rstrip(".,"))


def _touched(name: str, arguments: str) -> Iterator[Fact]:
    """The path and the command of a call."""
    members = object_of(arguments)
    if path := path_in(members):
        yield Fact("path", path)
    if canonical(name) == SHELL and (command := command_of(members)):
        yield Fact("command", command)


def _choose(candidates: Iterable[Candidate], most: int = FACTS) -> tuple[Fact, ...]:
    """At most `most` clean facts without repeats, within the quota of each kind, in order.

    Of what the user said the first and the last sentences are taken, of all else the first.
    """
    by_kind: dict[str, dict[str, int]] = {kind: {} for kind in QUOTA}
    for at, fact in candidates:
        line = one_line(printable(fact.text[: 4 * LENGTH]), LENGTH)
        if line and (len(by_kind[fact.kind]) < QUOTA[fact.kind] or fact.kind == "user"):
            by_kind[fact.kind].setdefault(line, at)
    by_kind["user"] = _ends(by_kind["user"], QUOTA["user"])
    chosen: list[Candidate] = []
    for kind, lines in by_kind.items():
        for line, at in lines.items():
            # A number or a name inside a sentence that is kept already says nothing new.
            within = kind in ("number", "symbol") and any(line in fact.text for _, fact in chosen)
            if len(chosen) < most and not within:
                chosen.append((at, Fact(kind, line)))
    return tuple(fact for _, fact in sorted(chosen, key=lambda candidate: candidate[0]))


def _ends(lines: dict[str, int], most: int) -> dict[str, int]:
    """The first and the last of some lines, `most` of them."""
    if len(lines) <= most:
        return lines
    listed = list(lines.items())
    return dict(listed[: most // 2] + listed[-(most - most // 2) :])
