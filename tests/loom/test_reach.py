"""The count of what a call runs through: it counts files and functions, and is the same twice."""

from __future__ import annotations

import json

from tests.reach import reached


def test_nothing_of_loom_is_reached_by_a_call_of_nothing() -> None:
    """Functions of others are not counted."""
    assert reached(lambda: json.dumps([1])) == set()
