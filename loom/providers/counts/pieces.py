"""A text in pieces whose tokens add up to its own, so that lines seen before need not be counted.

Theory of operation
-------------------
An encoding first splits a text by a pattern, and no token reaches over such a split. In those of
`ADDS` (`vocabulary.PATTERNS`) whatever takes a line's end stops behind the last one of a run of
blank characters, and only one alternative goes on behind a line's end: signs take the
slashes and carriage returns that follow it. So there is a split before each line that says
something and begins with neither.
Older encodings take a line's end and the indent behind it as one, and have none there.
"""

from __future__ import annotations

from loom.lazy import lazy_re

ADDS = frozenset({"o200k_base", "o200k_harmony", "cl100k_base"})
LONG, LARGE = 1_000_000, 100_000  # characters of a text that is no list of lines, of its pieces
_SPLIT = lazy_re(r"\n(?=[^\n/\r])(?=[^\n]*\S)")
LEAST = 1_024  # characters of a text that is taken apart: a shorter one is counted as fast


def pieces(text: str) -> list[str]:
    """The text in pieces, most of them a line with its end; larger ones of a long text."""
    if len(text) < LEAST:
        return [text]
    found: list[str] = []
    start = at = 0
    while len(text) - start > LONG:
        split = _SPLIT.search(text, start + LARGE)
        if split is None:
            break
        found.append(text[start : split.end()])
        start = split.end()
    if start:
        return [*found, text[start:]]
    for line in text.split("\n"):
        if at and line and line[0] not in "/\r" and not line.isspace():
            found.append(text[start:at])
            start = at
        at += len(line) + 1
    found.append(text[start:])
    return found
