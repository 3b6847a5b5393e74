"""What a statement of a guide claims: a subject, and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from loom.capabilities.memory.guide_obligations import is_command
from loom.capabilities.memory.statements import Statement, spans
from loom.search.terms import STOP

WORDS_MOST = 14  # of a rule that can be compared: a longer one says several things
LABEL_WORDS = 4
VALUE_WORDS = 3
# Sets of which a project has one, each member as its words: general, by what they are for.
ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "indentation": ("tab", "space"),
    "quotes": ("single quote", "double quote"),
    "line ends": ("lf", "crlf"),
    "letter case": ("camelcase", "snake_case", "pascalcase", "kebab-case"),
    "packages of JavaScript": ("npm", "pnpm", "yarn", "bun"),
    "packages of Python": ("pip", "uv", "poetry", "pipenv", "conda", "pdm"),
    "tests of Python": ("pytest", "unittest", "nose2"),
    "tests of JavaScript": ("jest", "vitest", "mocha"),
    "formatter of Python": ("black", "yapf", "autopep8"),
    "merging": ("rebase", "merge commit", "squash merge"),
}
_CLASS = {member: name for name, members in ALTERNATIVES.items() for member in members}
_AGAINST = re.compile(
    r"(?:never|do not|don['’]t|must not|mustn['’]t|should not|shouldn['’]t|avoid|no need to|no"
    r"|cannot|can['’]t)\b\s*",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"(?:(?:always|please|must|should|we|you|agents?|contributors?|make sure (?:to|you)"
    r"|be sure to)\b\s*)+",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?P<verb>use|prefer|run|write|indent|format|limit|keep|wrap|name|install|commit|push|merge"
    r"|rebase|squash|add|mock|import|log|raise|catch|return|test|document|annotate|call|edit|create"
    r"|delete|remove|modify|change|include|put|place|follow|set|target|break|sort|skip|bump|sign"
    r"|generate|build|deploy|publish|release|update|touch|enable|disable|start|end|begin)\b\s*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?P<label>[A-Za-z][^:`.()]{1,40}?)\s*:\s+(?P<value>\S.*)$")
_INSTEAD = re.compile(
    r"[\s,;(]+(?:not|never|instead of|rather than)\s+(?P<other>[^,;.()]+)\)?\.?$", re.IGNORECASE
)
_OVER = re.compile(r"(?P<one>.+?)\s+(?:over|to)\s+(?P<two>[^,;.()]+)", re.IGNORECASE)
_REASON = re.compile(
    r"\s+(?:[-–—]+|because|since|as (?:it|this|they)|so that|unless|except|but)\s.*$|\s+\(.*\)\.?$"
    r"|\s+—.*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W_](?:[\w'’.+#/-]*\w[+#]*)?")
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")
_NUMBERS = {word: str(number) for number, word in enumerate(_DIGITS)}
_SMALL = STOP | {"use", "using", "used", "run", "running", "execute", "via", "please", "command"}


class Claim(Struct, frozen=True):
    """One claim: its kind and the words it is about, what it says, and where it stands."""

    subject: tuple[str, ...]
    said: tuple[str, ...]
    line: int
    text: str

    def clashes(self, other: Claim) -> bool:
        """True when a claim of the same subject says something that excludes this."""
        if self.said == other.said:
            return False
        if self.subject[0] == "command":  # a narrower run of the same command adds to it
            one, two = " ".join(self.said), " ".join(other.said)
            return not (one.startswith(two) or two.startswith(one))
        return True


def claims(found: Iterable[Statement]) -> Iterator[Claim]:
    """The claims of some statements."""
    for statement in found:
        seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
        for subject, said in _claims(statement):
            if (subject, said) not in seen:
                seen.add((subject, said))
                yield Claim(subject, said, statement.line, statement.text)


Pair = tuple[tuple[str, ...], tuple[str, ...]]


def _claims(statement: Statement) -> Iterator[Pair]:
    text = _REASON.sub("", statement.text).strip().rstrip(".!;")
    if not text or len(text) > 400 or text.endswith((":", "?")):
        return
    label = _LABEL.match(text)
    if label is not None:
        yield from _valued(label["label"], label["value"].strip())
    yield from _commanded(text)
    against = _AGAINST.match(text)
    bid = _FOR.match(text) if against is None else None
    rest = text[(against or bid).end() :] if against or bid else text  # type: ignore[union-attr]
    if bid is not None and (denied := _AGAINST.match(rest)) is not None:
        against, rest = denied, rest[denied.end() :]
    verb = _VERB.match(rest)
    if verb is None:
        return
    yield from _ordered(rest, verb, forbidden=against is not None, free=bid is None)


def _ordered(rest: str, verb: re.Match[str], *, forbidden: bool, free: bool) -> Iterator[Pair]:
    """The claims of an order: what is chosen, ranked, set to a number, bid or forbidden."""
    instead = _INSTEAD.search(rest)
    main = rest[: instead.start()] if instead is not None else rest
    word = verb["verb"].lower()
    if word == "prefer" and (over := _OVER.match(rest, verb.end())) is not None and not forbidden:
        ranked = (" ".join(_words(over["one"])), " ".join(_words(over["two"])))
        if all(ranked):
            yield ("rank", *sorted(ranked)), ranked
            main = rest[: over.end("one")]
    words = _words(main)
    if not 2 <= len(words) <= WORDS_MOST:
        return
    if not forbidden:
        yield from _chosen(main[verb.end() :])
    if instead is not None and not forbidden:
        yield ("order", word, *sorted(set(_words(instead["other"])))), ("never",)
    numbers = tuple(_NUMBER.findall(_digits(main)))
    if numbers and not forbidden and len(numbers) == 1:
        bare = _words(_NUMBER.sub(" ", _digits(main)))
        if len(bare) >= 2 or (bare and bare[-1] in _CLASS):
            yield ("setting", *sorted(set(bare))), numbers
    objects = tuple(sorted(set(words[1:])))
    if objects:
        yield ("order", word, *objects), ("never",) if forbidden else ("always",)


def _chosen(text: str) -> Iterator[Pair]:
    """The alternative an order names first: "tabs for indentation"."""
    words = _words(_digits(text).replace("`", " "))
    while words and _NUMBER.fullmatch(words[0]):
        words = words[1:]
    for length in (2, 1):
        member = " ".join(words[:length])
        if member in _CLASS:
            yield ("choice", _CLASS[member]), (member,)
            return


def _valued(label: str, value: str) -> Iterator[Pair]:
    """The claim of a label with a short value: a number, a name, a code span."""
    words = _words(label)
    if not 1 <= len(words) <= LABEL_WORDS:
        return
    held = spans(value)
    number = _NUMBER.match(value)
    said = _words(value)
    if number is not None and len(said) <= VALUE_WORDS:
        yield ("setting", *sorted(set(words))), (number[0],)
    elif len(held) == 1 and (held[0].start, held[0].end) == (0, len(value)):
        if not is_command(held[0].code) or " " not in held[0].code:
            yield ("value", *words), (held[0].code.casefold(),)
    elif not held and 1 <= len(said) <= VALUE_WORDS and value.count(",") == 0:
        member = next((one for one in said if one in _CLASS), None)
        if member is not None:
            yield ("choice", _CLASS[member]), (member,)
        yield ("value", *words), tuple(said)


def _commanded(text: str) -> Iterator[Pair]:
    """The claim of a command for a purpose: "Run the tests with `make test`"."""
    held = [one for one in spans(text) if is_command(one.code)]
    if len(held) != 1 or len(spans(text)) != 1 or _AGAINST.search(text):
        return
    purpose = _words(f"{text[: held[0].start]} {text[held[0].end :]}")
    if 1 <= len(set(purpose)) <= LABEL_WORDS:
        yield ("command", *sorted(set(purpose))), tuple(held[0].code.split())


def _digits(text: str) -> str:
    """The text with small numbers in digits."""
    return re.sub(r"[A-Za-z]+", lambda word: _NUMBERS.get(word[0].lower(), word[0]), text)


def _words(text: str) -> list[str]:
    """The words that say something, without endings of the plural, in their order."""
    found = (one.casefold() for one in _WORD.findall(text.replace("`", " ")))
    return [_stem(one) for one in found if one not in _SMALL or one in ("use", "run")]


def _stem(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
