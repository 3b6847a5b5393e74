"""Recorded sessions with and without labels, derived ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.inputs import ToolCall
from loom_bench.recorded.labels import labels_of, needs_of
from loom_bench.recorded.ledger import LOST, RECALL, RESIDENT
from loom_bench.recorded.report import costs, figures
from loom_bench.recorded.run import NeedsJob, ReplayOutcome, replay
from loom_bench.recorded.sources import (
    RecordedSource,
    needed,
    sources_of,
)
from tests.kit.cases import all_cases

Recording = Callable[..., Path]
OWN = """
import time


def last(budget):
    return lambda messages: messages[-1:]


def everything(budget):
    return lambda messages: messages


class Asked:
    tools = [{"type": "function", "function": {"name": "ask", "parameters": {}}}]

    def __init__(self, budget):
        self.all = []

    def request(self, messages):
        self.all = messages
        return messages[-1:]

    def ask(self, question):
        yield "nothing"
        yield "\\n".join(str(one.get("content")) for one in self.all)
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A file with three strategies."""
    path = tmp_path / "own.py"
    path.write_text(OWN, "utf-8")
    return path


def test_labels_of_a_file_come_first(recording: Recording) -> None:
    """Those beside it; without them what its calls name."""
    path = recording()
    [source], skipped = sources_of([path])
    assert skipped == [] and source == RecordedSource(path, 0)
    assert [need.needle for need in needs_of(source)[1]] == [
        "line 7 of the parser\nline 8 of the parser\n"
    ]
    labels_of(path).unlink()
    needs_of.cache_clear()
    found = {need.label.kind: need.needle for need in needs_of(source)[1]}
    assert "line 7 of the parser" in found["edit_old"]


def outcome(path: Path, name: str, *, closed: bool = False) -> ReplayOutcome:
    """One session through one strategy of a file."""
    found = replay(NeedsJob(RecordedSource(path, 0), name, 6_000, closed))
    assert not found.failed
    return found


def test_a_strategy_of_chat_messages(recording: Recording, own: Path) -> None:
    """What it leaves is what a request shows; one that is too large is mended and counted."""
    path = recording()
    last, whole = outcome(path, f"{own}:last"), outcome(path, f"{own}:everything")
    assert [one.verdict for one in last.met] == [LOST] and last.rescued > 0
    assert whole.rescued > 0 and whole.sums.overflow == 0
    large = replay(NeedsJob(RecordedSource(path, 0), f"{own}:everything", 100_000))
    assert [one.verdict for one in large.met] == [RESIDENT] and large.rescued == 0


def test_one_that_can_be_asked_is_asked(recording: Recording, own: Path) -> None:
    """Its answer counts as found, its tools as tokens, its calls in the closed loop."""
    path = recording()
    asked, last = outcome(path, f"{own}:Asked"), outcome(path, f"{own}:last")
    assert [one.verdict for one in asked.met] == [RECALL]
    assert asked.sums.tokens > last.sums.tokens
    found = figures([asked])
    assert found["recall"] == 1.0
    closed = costs([outcome(path, f"{own}:Asked", closed=True)])
    assert closed["missing"] == 1 and closed["extra_calls"] == 2


def call(**arguments: str) -> ToolCall:
    """A call of a tool."""
    return ToolCall("c1", "edit", json.dumps(arguments))


@all_cases(
    ("given", "names"),
    [
        ({}, []),
        ({"command": "make all"}, []),
        ({"pattern": "stale_cursor"}, [("ident", "stale_cursor")]),
        ({"command": "cat src/a.py | wc"}, [("ident", "src/a.py")]),
        ({"old_string": "x = 1", "new_string": "y_z = 2"}, [("edit_old", "x = 1")]),
        ({"path": "src/a.py", "content": "new_name"}, [("ident", "src/a.py")]),
    ],
)
def test_a_call_needs_what_it_did_not_come_up_with(
    given: dict[str, str], names: list[tuple[str, str]]
) -> None:
    """The old text of an edit, paths and names; never what is written new."""
    assert list(needed(call(**given))) == names
