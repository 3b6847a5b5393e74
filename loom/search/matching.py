"""The lines of a text that hold what was asked for, each short enough to show."""

from __future__ import annotations

from collections.abc import Callable

from loom.lazy import lazy_re
from loom.search.terms import Terms, plain, terms

LINE_CHARS = 240
SCANNED = 20_000  # characters of one line that are looked at
NAME = 3  # what a name weighs against a word
# Looser than the index, which stems as Porter does: it only chooses what to show of a hit.
ENDING = lazy_re(r"(?:ations?|ions?|ings?|edly|ments?|ers?|ies|ied|ed|es|ly|e|s|y)$")


def matching(text: str, first: int, wanted: Terms) -> list[tuple[int, str]]:
    """(number, line) of the lines that hold wanted terms, those with the most first.

    `first` is the number of the text's first line.
    """
    hits = hits_of(wanted)
    scored = [
        (-found, number, line)
        for number, line in enumerate(text.split("\n"), first)
        if (found := hits(line))
    ]
    return [(number, around(line, wanted)) for _, number, line in sorted(scored)]


def holds_all(text: str, wanted: Terms) -> bool:
    """True when one line of a text holds all wanted terms, which are two or more."""
    names, words = set(wanted.names), {stem(word) for word in wanted.words}
    if len(words) < 2:
        return False
    # Most lines lack a word: it is looked for as it is written before a line is taken apart.
    rare = max((plain(word) for word in words), key=len).casefold()
    for line in text.split("\n"):
        if rare in plain(line[:SCANNED]).casefold():
            found = terms(line[:SCANNED])
            if words <= {*map(stem, found.words)} and names <= {*found.names}:
                return True
    return False


def hits_of(wanted: Terms) -> Callable[[str], int]:
    """How many of the wanted terms a line holds, a name counted as NAME words."""
    names, words = set(wanted.names), {stem(word) for word in wanted.words}

    def hits(line: str) -> int:
        found = terms(line[:SCANNED])
        return NAME * len(names & {*found.names}) + len(words & {*map(stem, found.words)})

    return hits


def stem(word: str) -> str:
    """A word without its ending, when enough is left."""
    if len(word) < 4 or not word.isalpha():
        return word
    short = ENDING.sub("", word)
    if len(short) < 3:
        return word
    return short[:-1] if short[-1] == short[-2] else short


def around(line: str, wanted: Terms) -> str:
    """A long line is shown around its first hit."""
    line = line.strip()
    if len(line) <= LINE_CHARS:
        return line
    lower = line.lower()
    places = [lower.find(word) for word in wanted.words]
    at = min((place for place in places if place >= 0), default=0)
    start = max(at - LINE_CHARS // 3, 0)
    end = start + LINE_CHARS - 2
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
