"""Of long lists in JSON, keep the members that a goal mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from loom.reduce.json_budget import MORE
from loom.search.terms import sought_terms

WORDS = 24  # words of a goal that are looked for
SHORTEST = 3  # letters of such a word; a number has one digit more, and is an identifier
GOAL = 8_000  # characters of a goal that are read
COMMON = 4  # what one member in so many holds is common
LOOKED = 2_000  # characters of one member that are searched
MOST = 40  # members of a list that are picked
LEAVES = 64  # fields of one member that are read
DEPTH = 3  # levels of JSON in whose lists members are picked


def pick_named(value: Any, goal: str, depth: int = DEPTH) -> Any:
    """Return a JSON value with its lists shortened to their first member, their last member, and
    the members that contain a word of the goal. A list without such members stays whole. `depth` is
    how many nested levels are searched."""
    if not goal or not depth:
        return value
    if isinstance(value, dict):
        return {key: pick_named(child, goal, depth - 1) for key, child in value.items()}
    if not isinstance(value, list):
        return value
    places = _places_of_named(_rare_fields(value), goal)
    return list(_members_and_gaps(value, sorted({0, *places, len(value) - 1}))) if places else value


def _places_of_named(texts: Sequence[str], goal: str) -> list[int]:
    """Return the indexes of the texts that contain a rare word of the goal, in order, at most
    `MOST`."""
    words = [w for w in sought_terms(goal[:GOAL]).words if len(w) >= SHORTEST + w.isdigit()][:WORDS]
    if not words:
        return []
    any_of = re.compile("|".join(map(re.escape, words)))
    found: dict[int, set[str]] = {}
    for at, text in enumerate(texts):
        small = text[:LOOKED].lower()
        if any_of.search(small):  # one pass for all words; most texts hold none
            found[at] = {word for word in words if word in small}
    often = Counter(word for held in found.values() for word in held)
    rare = {word for word, count in often.items() if count * COMMON < len(texts)}
    named = [at for at, held in found.items() if held & rare]
    return sorted(sorted(named, key=lambda at: -len(found[at] & rare))[:MOST])


def _rare_fields(members: Sequence[Any]) -> list[str]:
    """Return one text for each member, with the fields that few other members share."""
    fields = [tuple(dict.fromkeys(_scalar_fields(member))) for member in members]
    often = Counter(leaf for own in fields for leaf in own)
    return ["\n".join(leaf for leaf in own if often[leaf] * COMMON < len(fields)) for own in fields]


def _scalar_fields(member: Any) -> Iterator[str]:
    """Yield "key value" for each scalar in a list member, at any depth."""
    waiting = [("", member)]
    for _ in range(LEAVES):
        if not waiting:
            return
        key, one = waiting.pop()
        if isinstance(one, dict):
            waiting += islice(one.items(), LEAVES)
        elif isinstance(one, list):
            waiting += ((key, child) for child in islice(one, LEAVES))
        else:
            yield f"{key} {one}"[:LOOKED]


def _members_and_gaps(members: Sequence[Any], places: Sequence[int]) -> Iterator[Any]:
    """Yield the members at the indexes `places`, with texts for gaps such as "… 12 left out"."""
    before = -1
    for at in places:
        if at - before > 1:
            yield f"{MORE} {at - before - 1:,} left out"
        yield members[at]
        before = at
