"""Lines of a text without what a tool or a window puts before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

NUMBER = re.compile(r"^\s*\d{1,6}(?:→|\t|:|\|)\s?")  # what file tools and `grep -n` write
QUOTE = re.compile(r"^\s*(?:[>|]\s)+|^\s*[>|]$")
BULLET = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")
TAGGED = re.compile(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
REMINDER = re.compile(r"<(system-[\w-]+)>.*?</\1>", re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'`(*\[]*[A-Z0-9])")
CODE = 5  # word characters of a line of code that says something: brackets alone do not


def bare(line: str) -> str:
    """A line without quote sign, line number and indentation, each blank a single one."""
    line = NUMBER.sub("", QUOTE.sub("", line), count=1)
    return " ".join(line.split())


@lru_cache(maxsize=8192)
def bare_lines(text: str) -> tuple[str, ...]:
    """Every line of a text, bare; "" for an empty one."""
    return tuple(map(bare, unreminded(text).splitlines()))


@lru_cache(maxsize=8192)
def significant(text: str) -> tuple[str, ...]:
    """The bare lines of a text that are more than brackets and blanks."""
    return tuple(line for line in bare_lines(text) if len(re.findall(r"\w", line)) >= CODE)


def unreminded(text: str) -> str:
    """A text without the reminders a client puts into tool results."""
    return REMINDER.sub("", text) if "<system-" in text else text


def untagged(text: str) -> str:
    """A text without blocks in tags: what a client puts beside the words of its user."""
    return TAGGED.sub("", text)


def sentences(line: str) -> Iterator[str]:
    """A bare line without its bullet, sentence by sentence."""
    for one in SENTENCE.split(BULLET.sub("", line)):
        if one:
            yield one


def words(text: str) -> int:
    """How many words a text has: what stands between blanks and has a letter, so a path is one."""
    return sum(any(map(str.isalpha, word)) for word in text.split())
