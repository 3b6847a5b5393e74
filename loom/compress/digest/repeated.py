"""Which sentences of the user say the same, so that the last of them is enough.

A sentence of some length stands for itself. A short one ("No.") says something only beside what
stands before it in its line: such a unit is the same as another only as a whole, so that an answer
never leaves its question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from loom.compress.digest.keys import LINES
from loom_partitions.message import Fact

SAID = ("user", "rule", "question")
PLACED = ("heading", "code")  # said, too; each stands in its own place
ALONE = 4, 20  # words, or characters, of a sentence that is understood without its line


def said_keys(facts: Iterable[Fact]) -> dict[int, str]:
    """id of each sentence the user said → what it has in common with those that say the same."""
    lines: dict[tuple[int, str, str], list[Fact]] = {}
    typed: Counter[tuple[int, str]] = Counter()
    for fact in facts:
        if fact.kind in SAID:
            lines.setdefault((fact.at, fact.refs, fact.about), []).append(fact)
        if fact.kind in SAID or fact.kind in PLACED:
            typed[fact.at, fact.refs] += 1
    keys: dict[int, str] = {}
    for (at, refs, about), line in lines.items():
        for number, unit in enumerate(_units(line)):
            text = "\n".join(_spelled(one.text, one.came) for one in unit)
            whole = len(unit) == typed[at, refs] and about in ("", "1")
            if not whole and not any(map(_alone, unit)):
                text = f"{text}\n{at} {about} {number}"  # part of a message: only its own place
            for place, one in enumerate(unit):
                keys[id(one)] = f"{text}\n{place}" if len(unit) > 1 else text
    return keys


@lru_cache(maxsize=LINES)
def _spelled(text: str, came: str) -> str:
    """A sentence with what it answers, blanks as one."""
    return f"{' '.join(text.split())} {came}".strip()


def _units(line: Iterable[Fact]) -> list[list[Fact]]:
    """The sentences of a line, short ones with the long one before them, or with the first."""
    units: list[list[Fact]] = []
    for fact in line:
        if units and not (_alone(fact) and any(map(_alone, units[-1]))):
            units[-1].append(fact)
        else:
            units.append([fact])
    return units


def _alone(fact: Fact) -> bool:
    """True for a sentence that is understood without those beside it."""
    words, characters = ALONE
    return len(fact.text) >= characters or len(fact.text.split()) >= words
