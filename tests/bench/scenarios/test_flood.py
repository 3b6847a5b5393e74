"""Large results, a few of which say something."""

import json
from typing import Any

from loom_bench.scenarios import session_of
from loom_bench.session import PUBLIC, FactDue

NAME = "flood"


def test_facts_stand_at_the_head_in_the_middle_and_at_the_end_of_large_results() -> None:
    """Some results begin with a fact, some end with one, some have it within."""
    shares = []
    for seed in range(1, 6):
        session = session_of(NAME, seed, PUBLIC)
        for fact in session.owed(FactDue):
            text = session.messages[fact.at]["content"]
            shares.append(text.index(fact.value) / len(text))
    assert min(shares) < 0.02 and max(shares) > 0.98
    assert any(0.2 < share < 0.8 for share in shares)


def test_some_facts_are_a_field_deep_in_json() -> None:
    """The field is three levels down or more, in a document that can be read."""
    depths = []
    for seed in range(1, 4):
        session = session_of(NAME, seed, PUBLIC)
        for fact in session.owed(FactDue):
            text = session.messages[fact.at]["content"]
            if text.startswith("{"):
                depths.append(_depth(json.loads(text), fact.value))
    assert depths and min(depths) >= 3


def _depth(tree: Any, value: str) -> int:
    """How many levels of objects are above a value; 0 where it is not."""
    if isinstance(tree, dict):
        if value in tree.values():
            return 1
        tree = list(tree.values())
    found = [_depth(one, value) for one in tree] if isinstance(tree, list) else [0]
    return max(found, default=0) and max(found) + 1
