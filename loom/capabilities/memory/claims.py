"""What a statement of a guide claims: a subject, and what is said of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from loom.capabilities.memory.claim_words import (
    BOUNDS,
    CHOICE,
    CLASS,
    NUMBER,
    PLAIN,
    PURPOSE,
    REMARKS,
    RUNS,
    base,
    digits,
    words,
)
from loom.capabilities.memory.guide_obligations import is_command
from loom.capabilities.memory.statements import Statement, spans
from loom.lazy import lazy_re
from loom.reduce.programs import WRAPPERS

WORDS_MOST = 14  # of a rule that can be compared: a longer one says several things
LABEL_WORDS = 4
VALUE_WORDS = 3
CHARS_MOST = 400
_PATH = lazy_re(r"/|\.[A-Za-z]{1,5}$")
_AGAINST = lazy_re(
    r"(?:never|do not|don['’]t|must not|mustn['’]t|should not|shouldn['’]t|avoid|no need to"
    r"|cannot|can['’]t)\b\s*",
    re.IGNORECASE,
)
_FOR = lazy_re(
    r"(?:(?:always|please|must|should|we|you|agents?|contributors?|make sure (?:to|you)"
    r"|be sure to)\b\s*)+",
    re.IGNORECASE,
)
_VERB = lazy_re(
    r"(?P<verb>use|prefer|run|write|indent|format|limit|keep|wrap|name|install|commit|push|merge"
    r"|rebase|squash|add|mock|import|log|raise|catch|return|test|document|annotate|call|edit|create"
    r"|delete|remove|modify|change|include|put|place|follow|set|target|break|sort|skip|bump|sign"
    r"|generate|build|deploy|publish|release|update|touch|enable|disable|start|end|begin)\b\s*",
    re.IGNORECASE,
)
_ANY_VERB = lazy_re(r"(?P<verb>[a-z]{2,})\b\s*", re.IGNORECASE)
_LABEL = lazy_re(r"(?P<label>[A-Za-z][^:`.()]{1,40}?)\s*:\s+(?P<value>\S.*)$")
_MODAL = lazy_re(r"\b(?:must|should|is|are|can|may|will|has|have|do|does|to)\b", re.IGNORECASE)
_INSTEAD = lazy_re(
    r"[\s,;(]+(?:not|never|instead of|rather than)\s+(?P<other>[^,;.()]+)\)?\.?$", re.IGNORECASE
)
_OVER = lazy_re(r"(?P<one>.+?)\s+(?:over|to)\s+(?P<two>[^,;.()]+)", re.IGNORECASE)
_REASON = lazy_re(
    r"\s+(?:[-–—]+|because|since|as (?:it|this|they)|so that|unless|except|but)\s.*$|\s+\(.*\)\.?$"
    r"|\s+—.*$",
    re.IGNORECASE,
)
# Where a rule holds says nothing of what it is about: that is the folder of its guide.
_HERE = lazy_re(
    r"\s+(?:here|(?:in|for|within) (?:this|the) (?:folder|directory|package|module|project"
    r"|repo(?:sitory)?|tree|workspace|app|crate))\b",
    re.IGNORECASE,
)
_PLACED = lazy_re(r"\s+(?:in|within|inside|under|below)\s+[^,;.()]+$", re.I)
_MOMENT = lazy_re(
    r"(?:^|\s)(?P<when>before|after|prior to|whenever|when|every time|each time"
    r"|on every|on each)\b",
    re.IGNORECASE,
)
_ONLY = lazy_re(r"\b(?:only|instead|nothing else)\b", re.IGNORECASE)
_BOUNDED = lazy_re(r"\b(?:max(?:imum)?|min(?:imum)?|at most|at least|no more than)\b", re.I)


def unwrapped(command: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what only runs it: `uv run pytest` is `pytest`."""
    for wrapper in WRAPPERS:
        if command[: len(wrapper.words)] == wrapper.words and len(command) > len(wrapper.words):
            return command[len(wrapper.words) :]
    return command


class RuleClaim(Struct, frozen=True):
    """One claim: its kind and the words it is about, what it says, and where it stands."""

    subject: tuple[str, ...]
    said: tuple[str, ...]
    line: int
    text: str

    def clashes(self, other: RuleClaim) -> bool:
        """True when a claim of the same subject says something that excludes this."""
        if self.said == other.said:
            return False
        if self.subject[0] == "due" and not (_ONLY.search(self.text) or _ONLY.search(other.text)):
            return False  # what two guides want run at a moment adds up
        if self.subject[0] == "narrowed":
            return self._narrows(other)
        if self.subject[0] in ("command", "due"):  # a narrower run of the same command adds to it
            one, two = (unwrapped(side.said) for side in (self, other))
            return one[: len(two)] != two and two[: len(one)] != one
        return True

    def _narrows(self, other: RuleClaim) -> bool:
        """True when this bids what the other, further up, forbids everywhere, or the reverse."""
        (mine, *where), (theirs, *there) = self.said, other.said
        return mine != theirs and (not there or (not where and mine == "never" and "at" in there))


def claims(found: Iterable[Statement]) -> Iterator[RuleClaim]:
    """The claims of some statements."""
    found = tuple(found)
    sections = Counter(statement.headings for statement in found)
    for statement in found:
        alone = sections[statement.headings] == 1
        for subject, said in dict.fromkeys(_claims(statement, alone=alone)):
            yield RuleClaim(subject, said, statement.line, statement.text)


Pair = tuple[tuple[str, ...], tuple[str, ...]]


def _claims(statement: Statement, *, alone: bool) -> Iterator[Pair]:
    """The claims of a statement; one `alone` in its section may be the value of its heading."""
    if len(statement.text) > CHARS_MOST:
        return
    text = _REASON.sub("", statement.text).strip().rstrip(".!;")
    text = _HERE.sub("", text)
    if not text or text.endswith((":", "?")):
        return
    above = statement.headings[-1] if statement.headings else ""
    label = _LABEL.match(text)
    if label is not None and _MODAL.search(label["label"]) is None:
        yield from _valued(label["label"], label["value"].strip())
    elif above and alone and not statement.item:
        yield from _valued(above, text)
    yield from _commanded(text, above)
    against, bid = _AGAINST.match(text), _FOR.match(text)
    rest = text[bid.end() :] if bid is not None else text
    if against is None and bid is not None:
        against = _AGAINST.match(rest)
    if against is not None:
        rest = (rest if bid is not None else text)[against.end() :]
    verb = (_ANY_VERB if against or bid else _VERB).match(rest)
    if against is not None and against[0].lower().startswith("avoid"):
        gerund = verb is not None and verb["verb"].lower().endswith("ing")
        verb = verb if gerund else _VERB.match(rest := f"use {rest}")
    if verb is not None:
        yield from _ordered(rest, verb, forbidden=against is not None)
    elif _BOUNDED.search(text):
        yield from _set(text)


def _ordered(rest: str, verb: re.Match[str], *, forbidden: bool) -> Iterator[Pair]:
    """The claims of an order: what is chosen, ranked, set to a number, bid or forbidden."""
    instead = _INSTEAD.search(rest)
    main = rest[: instead.start()] if instead is not None else rest
    word = base(verb["verb"].lower())
    over = _OVER.match(rest, verb.end()) if word == "prefer" and not forbidden else None
    if over is not None:
        ranked = (" ".join(words(over["one"])), " ".join(words(over["two"])))
        if all(ranked):
            yield ("rank", *sorted(ranked)), ranked
            main = rest[: over.end("one")]
    objects = words(main[verb.end() :])
    if not 1 <= len(objects) <= WORDS_MOST:
        return
    if not forbidden:
        if word in ("use", "prefer", "indent", "write"):
            yield from _chosen(main[verb.end() :].removeprefix("with "))
        if word in ("use", "prefer") and len(objects) == 2 and "`" not in main:
            yield ("kind", objects[1]), (objects[0],)
        if instead is not None:
            other = words(instead["other"])
            yield ("order", word, *sorted(set(other))), ("never",)
        yield from _set(main)
    bid = "never" if forbidden else "always"
    moment = _MOMENT.search(main)
    at = [f"@{moment['when'].lower()}"] if moment is not None else []
    yield ("order", word, *sorted({*objects, *at})), (bid,)
    yield from _narrowed(main[verb.end() :], word, bid)


def _narrowed(text: str, word: str, bid: str) -> Iterator[Pair]:
    """The claim of an order less its place or moment, which is said beside it."""
    moment = _MOMENT.search(text)
    placed = _PLACED.search(text) if moment is None else None
    found = moment or placed
    objects = words(text[: found.start()] if found is not None else text)
    if objects:
        kind = "at" if moment is not None else "in"
        about = (kind, *words(text[found.start() :])) if found is not None else ()
        yield ("narrowed", word, *sorted(set(objects))), (bid, *about)


def _set(text: str) -> Iterator[Pair]:
    """The claim of a text with one number: "Limit lines to 88 characters"."""
    text = digits(text)
    numbers = NUMBER.findall(text)
    about = {word for word in words(NUMBER.sub(" ", text)) if word not in BOUNDS}
    if len(numbers) == 1 and 1 <= len(about) <= LABEL_WORDS and "`" not in text:
        yield ("setting", *sorted(about)), tuple(numbers)


def _chosen(text: str) -> Iterator[Pair]:
    """The alternative a text begins with, and what for: "2 spaces for indentation"."""
    text = digits(text.replace("`", ""))
    found = CHOICE.match(text)
    if found is None:
        return
    member = found["member"].lower()
    kind = CLASS[member]
    purpose = PURPOSE.match(text, found.end())
    about = set(words(purpose["what"])) - PLAIN[kind] if purpose is not None else set[str]()
    yield ("choice", kind, *sorted(about)), (member,)
    if found["number"] and member == "space":
        yield ("setting", "indentation", *sorted(about)), (found["number"],)


def _valued(label: str, value: str) -> Iterator[Pair]:
    """The claim of a label with a short value: a number, a name, a code span."""
    about, said = words(label), words(value)
    if not 1 <= len(about) <= LABEL_WORDS or REMARKS & set(about) or len(said) > VALUE_WORDS:
        return
    held = spans(value)
    yield from _chosen(value)
    if NUMBER.match(value):
        yield from _set(f"{label} {value}")
    elif len(held) == 1 and (held[0].start, held[0].end) == (0, len(value)):
        if not is_command(held[0].code) and not _PATH.search(held[0].code):
            yield ("value", *about), (held[0].code.casefold(),)
    elif not held and said and not re.search(r",|/|\.[A-Za-z]{1,5}$", value):
        yield from [] if _VERB.match(value) else [(("value", *about), tuple(said))]


def _commanded(text: str, above: str) -> Iterator[Pair]:
    """The claim of a command for a purpose: "Run the tests with `make test`"."""
    held = spans(text)
    if len(held) != 1 or not is_command(held[0].code, known=True) or _AGAINST.search(text):
        return
    around = f"{text[: held[0].start]} {text[held[0].end :]}"
    moment = _MOMENT.search(around) or _MOMENT.search(above)
    purpose = {word for word in words(around) if word not in RUNS}
    if not purpose:
        purpose = {word for word in words(above) if word not in RUNS}
    if 1 <= len(purpose) <= LABEL_WORDS:
        kind = ("command",) if moment is None else ("due", moment["when"].lower())
        yield (*kind, *sorted(map(base, purpose))), tuple(held[0].code.split())
