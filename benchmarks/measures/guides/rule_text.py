"""The rules of a guide: its list items, and the sentences of its paragraphs, each with its line.

Read by plain rules of this benchmark's own, apart from how Loom reads guides. Headings, tables,
quotes, code blocks and comments hold no rules. A text is compared as it reads: its comments gone,
every run of blanks one space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

LEAST_WORDS = 3  # fewer are no rule that can be told from chance
LEAST_CHARS = 12
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(\[])")
_RULER = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*")
_IMPORT = re.compile(r"(?<!\S)@([\w./~+-]*[\w/-])")
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
FENCES = ("```", "~~~")


class ProjectRule(Struct, frozen=True):
    """A rule of a guide: the file and line it stands on, its words, and the heading above it."""

    path: str
    line: int
    text: str
    heading: str = ""


def flat(text: str) -> str:
    """A text as it reads: without comments, every run of blanks one space."""
    return " ".join(_COMMENT.sub("", text).split())


@lru_cache(4_096)
def rules_of(path: str, text: str) -> tuple[ProjectRule, ...]:
    """The rules of a guide in their order, each wording once."""
    found: dict[str, ProjectRule] = {}
    for line, words, heading in _said(text):
        if len(words) >= LEAST_CHARS and len(words.split()) >= LEAST_WORDS:
            found.setdefault(words, ProjectRule(path, line, words, heading))
    return tuple(found.values())


def imports_of(text: str) -> tuple[str, ...]:
    """The files a guide names as `@path` outside of code, in their order."""
    lines = [line for _, line in _prose(text)]
    named = (one for line in lines for one in _IMPORT.findall(_SPAN.sub(" ", line)))
    return tuple(dict.fromkeys(named))


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of code blocks, with their numbers; one for each block, which is blank."""
    blanked = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    fence = ""
    for number, line in enumerate(blanked.removeprefix("\ufeff").splitlines(), 1):
        mark = line.strip()[:3]
        if mark in FENCES and fence in ("", mark):
            fence = "" if fence else mark
            yield number, ""
        elif not fence:
            yield number, line


def _said(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, words, heading) of every item and sentence."""
    heading, start, held, listed = "", 0, list[str](), False
    for number, line in (*_prose(text), (0, "")):
        title, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        alone = line.lstrip().startswith(("|", ">")) or not _IMPORT.sub("", line).strip()
        if not (title or item or alone or _RULER.fullmatch(line)):
            start = start if held else number
            held.append(line)
            continue
        for words in _split(" ".join(" ".join(held).split()), listed):
            yield start, words, heading
        heading = title[1].strip() if title else heading
        start, held, listed = number, [item[1]] if item else [], bool(item)


def _split(words: str, listed: bool) -> list[str]:
    """The words of an item as they are, a paragraph's by the sentence."""
    return [words] if listed else _SENTENCE.split(words)
