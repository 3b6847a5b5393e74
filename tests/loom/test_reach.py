"""The count of what a call runs through: it counts files and functions, and is the same twice."""

from __future__ import annotations

import json

import pytest

from tests.reach import measured, reach, reached


def test_nothing_of_loom_is_reached_by_a_call_of_nothing() -> None:
    """Functions of others are not counted."""
    assert reached(lambda: json.dumps([1])) == set()


def test_the_counts_are_the_same_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    """Both calls run through the journal; the line on stdout has what was counted."""
    counts = [{name: len(codes) for name, codes in measured().items()} for _ in range(3)]
    assert counts[1] == counts[2]  # the first fills caches of the process
    assert reach(json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert {name: one["functions"] for name, one in told.items()} == counts[2]
    assert all(
        any("journal" in code.co_filename for code in codes) for codes in measured().values()
    )
