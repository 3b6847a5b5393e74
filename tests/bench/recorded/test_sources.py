"""Recorded sessions with and without labels, derived ones, several by turns."""

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
    Interleaved,
    RecordedSource,
    interleaved,
    needed,
    size,
    sources_of,
)
from loom_bench.sessions.needle import held
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
    assert figures([asked])["recall"] == 1.0
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


STRETCH = 2_000


def joined(recording: Recording) -> Interleaved:
    """Three sessions of one file each, by turns."""
    paths = tuple(recording(name, filler=10) for name in ("a", "b", "c"))
    return Interleaved("three", paths, STRETCH)


def test_needs_move_along(recording: Recording) -> None:
    """A need is where its reply is now, as far from what holds it as the others' turns make it."""
    whole = joined(recording)
    _, [alone] = needs_of(whole.paths[0])
    session, found = needs_of(whole)
    assert len(found) == 3
    for need in found:
        reply = session.events[need.at]
        assert held(need.needle, reply.calls[0].arguments) or held(
            need.needle, json.loads(reply.calls[0].arguments)["old_string"]
        )
        between = session.events[need.label.last_seen + 1 : need.at]
        assert need.label.distance_tokens == sum(map(size, between))
        assert need.label.distance_tokens > 2 * alone.label.distance_tokens


def test_interleaved(recording: Recording, tmp_path: Path) -> None:
    """Long sessions come together as the seed says, none twice; what is left over is left out."""
    for name in "abcde":
        recording(name, filler=40)
    recording("short", filler=2)
    found = interleaved([tmp_path], 2, STRETCH, 1)
    paths = [path.stem for one in found for path in one.paths]
    assert len(found) == 2
    assert len(set(paths)) == 4
    assert "short" not in paths
    assert interleaved([tmp_path], 2, STRETCH, 1) == found
    assert interleaved([tmp_path], 2, STRETCH, 2) != found
    assert interleaved([tmp_path], 2, STRETCH, 1, groups=1) == found[:1]
    assert interleaved([tmp_path], 2, STRETCH, 1, limit=3)[1:] == []
    assert interleaved([tmp_path], 6, STRETCH, 1) == []
