"""The parts of a text that a kind of rule has to search, put together, and where each stood.

Of a large text few characters can belong to a secret: runs of the letters of tokens, what stands
near a word such as `password`, lines with options of commands. One pass finds each sort; the rules
of the sort, of which there are many, then search a tenth of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

SMALL = 600  # characters: a smaller text is searched whole
RUN = 16  # characters of the shortest token
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.~:!$"
_BREAK = "\n\x01\n"  # between two parts; no rule matches across it
_NAMES = re.compile(
    "pass|pwd|pw[\"'`\\]=: ,]|secret|token|sess|sid|jwt|bearer|basic |key|cred|auth|sig|sas|salt|dsn|cookie"
    "|login|log in|sign in|account|user|mnemonic|phrase|seed|recovery|backup|scratch|emergency"
    "|identified|pat[\"'`\\]=: _]|[?&;](?:st|s|code|hash|hmac|ticket|appid)="
)
_OPTION = re.compile(r" --?[A-Za-z]| /(?:p|pass|user):")
BEFORE, AFTER = 200, 4_200  # characters around a name in a line that has more


class Excerpt:
    """Parts of a text, joined; `span` gives the places they had."""

    __slots__ = ("_at", "_from", "text")

    def __init__(self, text: str, spans: Iterable[tuple[int, int]] | None, folded: bool = False):
        self._at: list[int] = []
        self._from: list[int] = []
        if spans is None:
            self.text = text
            return
        parts: list[str] = []
        size = 0
        for start, end in spans:
            self._at.append(size)
            self._from.append(start)
            parts.append(text[start:end])
            size += end - start + len(_BREAK)
        self.text = _BREAK.join(parts)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text the characters from `start` to `end` stood."""
        if not self._at:
            return start, end
        part = bisect_right(self._at, start) - 1
        moved = self._from[part] - self._at[part]
        return start + moved, end + moved


def small_letters(text: str) -> str:
    """The text with A-Z made small, each character in its place, also where Unicode has two."""
    if text.isascii():
        return text.lower()
    return text.encode("latin-1", "replace").lower().decode("latin-1")


def token_runs(text: str, least: int = RUN) -> Iterator[tuple[int, int]]:
    """Where the runs of at least so many letters of tokens begin and end."""
    import numpy as np  # a small text needs none

    codes = np.frombuffer(text.encode("latin-1", "replace"), np.uint8)
    held = np.zeros(256, bool)
    held[list(_LETTERS)] = True
    inside = np.zeros(len(codes) + 2, bool)
    np.take(held, codes, out=inside[1:-1])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = edges[::2], edges[1::2]
    long = ends - starts >= least
    return zip(starts[long].tolist(), ends[long].tolist(), strict=True)


def tokens(text: str) -> Excerpt:
    """The runs of letters of tokens."""
    return Excerpt(text, None if len(text) < SMALL else token_runs(text))


def named(folded: str) -> Excerpt:
    """What stands near the words of names, in a text in small letters."""
    return Excerpt(folded, None if len(folded) < SMALL else _near(folded, _NAMES, 2))


def options(text: str) -> Excerpt:
    """The lines with options of commands."""
    return Excerpt(text, None if len(text) < SMALL else _near(text, _OPTION, 1))


def _near(text: str, words: re.Pattern[str], lines: int) -> Iterator[tuple[int, int]]:
    """The lines of each hit, so many from it on, apart from one another."""
    first = last = -1  # the part that may grow yet
    at = 0
    while (hit := words.search(text, at)) is not None:
        start = max(text.rfind("\n", max(hit.start() - BEFORE, 0), hit.start()) + 1, hit.start() - BEFORE, 0)
        line = end = hit.end()
        for number in range(lines):
            found = text.find("\n", end, hit.end() + AFTER)
            end = found + 1 if found >= 0 else min(hit.end() + AFTER, len(text))
            line = line if number else end
        if start > last:
            if last > first:
                yield first, last
            first = start
        last = max(last, end)
        # Of the line of a hit all is in: the next one may begin another part.
        at = max(line if line - hit.end() < AFTER else hit.end() + AFTER // 2, hit.end())
    if last > first:
        yield first, last
