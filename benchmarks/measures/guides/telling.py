"""How a request tells that a guide is new, and that two guides conflict: the words looked for.

Both are read from the lines that are no guide's own text. They are kept apart, so that other words
for the same can be added in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NEW = re.compile(r"\b(?:new|newly|joined|joins|now applies|found)\b", re.I)
_CONFLICT = re.compile(
    r"\b(?:conflicts?|contradicts?|disagrees?|overrides?|instead of|wins|against|over)\b", re.I
)
_GUIDE = re.compile(r"[\w./~-]*(?:AGENTS\.override|AGENTS|CLAUDE)\.md")


def announced(lines: Iterable[str], path: str) -> bool:
    """True when a line names the guide together with a word for new."""
    return any(path in _GUIDE.findall(line) and _NEW.search(line) for line in lines)


def conflicts_told(lines: Iterable[str]) -> set[frozenset[str]]:
    """The pairs of guides that a line names together with a word for a conflict."""
    told = set()
    for line in lines:
        named = {*_GUIDE.findall(line)}
        if len(named) > 1 and _CONFLICT.search(_GUIDE.sub("", line)):  # a name is no such word
            told |= {frozenset((one, two)) for one in named for two in named if one != two}
    return told
