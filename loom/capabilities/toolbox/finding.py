"""Tools found by words for what they do, and told.

Search counts the words a tool shares with the query, the rarer among the tools the more. A word of
the query that begins as a word of the tool does counts half: "deleting" finds "delete" without a
stemmer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import json

from loom.capabilities.toolbox.descriptor import FUNCTION, ToolDescriptor
from loom.search.terms import asked, terms
from loom.text import one_line, printable

NAME_WEIGHT = 3  # a word of a name counts as so many of a description
PART = 0.5  # what a word counts that only begins alike
LEAST = 4  # letters two such words share
DETAILED = 8  # tools described in full; more of them get a line each
LINE = 160  # characters of that line


def described(given: Sequence[ToolDescriptor], through: str) -> str:
    """Tools as a text for the model; `through` is the tool by which it calls them."""
    if not given:
        return 'no such tool: other words may find one, "?" lists all'
    if len(given) > DETAILED:
        return "\n".join(
            one_line(f"{one.name} (level {one.level}): {one.description}", LINE) for one in given
        )
    return "\n\n".join(_paragraph(one, through) for one in given)


def scored(words: Mapping[str, Counter[str]], query: str) -> dict[str, float]:
    """How well the tools that hold a word of the query answer it, by key; `words` are theirs."""
    scores: dict[str, float] = {}
    spoken = asked(query)
    for word in (*spoken.words, *spoken.names):
        counts = {key: count for key, held in words.items() if (count := _count(held, word))}
        rarity = math.log(1 + (len(words) - len(counts) + 0.5) / (len(counts) + 0.5))
        for key, count in counts.items():
            scores[key] = scores.get(key, 0.0) + rarity * count
    return scores


def words_of(descriptor: ToolDescriptor) -> Counter[str]:
    """How often a tool says each word: in its name, its description, its parameters' names."""
    properties = descriptor.parameters_schema.get("properties")
    names = " ".join(map(str, properties)) if isinstance(properties, dict) else ""
    counts: Counter[str] = Counter()
    for text in (*[descriptor.name] * NAME_WEIGHT, descriptor.description, names):
        found = terms(text)
        counts.update((*found.words, *found.names))
    return counts


def _count(held: Counter[str], word: str) -> float:
    alike = (count for one, count in held.items() if _alike(one, word))
    return held[word] or PART * max(alike, default=0)


def _alike(one: str, other: str) -> bool:
    """True when two words begin alike, up to the last letter of the shorter."""
    shared = max(LEAST, min(len(one), len(other)) - 1)
    return one[:shared] == other[:shared]


def _paragraph(one: ToolDescriptor, through: str) -> str:
    parameters = json.encode(one.parameters_schema).decode()
    call = f'"name": "{one.name}", "arguments": {{…}}'
    how = "by its name" if one.level == FUNCTION else f"{through} with {{{call}}}"
    return "\n".join(
        [
            f"{one.name} (level {one.level})",
            printable(one.description).strip() or "(no description)",
            f"parameters: {parameters}",
            f"approval: {'needed for every call' if one.requires_approval else 'not needed'}",
            f"call: {how}",
        ]
    )
