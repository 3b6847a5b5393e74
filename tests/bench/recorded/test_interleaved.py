"""Sessions interleaved into one long history, with their labels."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.__main__ import app
from loom.inputs import Reply, Result
from loom_bench.recorded.labels import needs_of
from loom_bench.recorded.sources import Interleaved, interleaved, size
from loom_bench.sessions.needle import held

Recording = Callable[..., Path]
STRETCH = 2_000


def joined(recording: Recording) -> Interleaved:
    """Three sessions of one file each, by turns."""
    paths = tuple(recording(name, filler=10) for name in ("a", "b", "c"))
    return Interleaved("three", paths, STRETCH)


def test_lawful(recording: Recording) -> None:
    """Each call has an id of its own, and its result follows it; indices count the events."""
    session, _ = joined(recording).load()
    calls = [
        call.id for event in session.events if isinstance(event, Reply) for call in event.calls
    ]
    assert len(calls) == len(set(calls)) == 36
    for before, event in pairwise(session.events):
        if isinstance(event, Result):
            assert isinstance(before, Reply)
            assert before.calls[0].id == event.call_id
    assert [event.index for event in session.events] == list(range(len(session.events)))


def test_by_turns(recording: Recording) -> None:
    """The tasks are worked on by turns, each in a working tree of its own."""
    session, _ = joined(recording).load()
    reads = [
        json.loads(call.arguments)["file_path"]
        for event in session.events
        if isinstance(event, Reply)
        for call in event.calls
        if call.name == "Read"
    ]
    assert reads == [f"/repo/app{task}/parser.go" for task in range(3)]
    edits = [
        at
        for at, event in enumerate(session.events)
        if isinstance(event, Reply) and event.calls[0].name == "Edit"
    ]
    assert min(edits) > len(session.events) - 6 * STRETCH // size(session.events[4])


def test_needs_move_along(recording: Recording) -> None:
    """A need is where its reply is now, as far from what holds it as the others' turns make it."""
    whole = joined(recording)
    _, [alone] = needs_of(whole.paths[0])
    session, found = needs_of(whole)
    assert len(found) == 3
    for need in found:
        reply = session.events[need.at]
        assert isinstance(reply, Reply)
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


def test_command(recording: Recording, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says how the histories were made, and measures what they need."""
    recording("a", filler=40)
    folder = recording("b", filler=40).parent
    asked = ["needs", "--sessions", str(folder), "--strategy", "tail", "--workers", "1", "--json"]
    with pytest.raises(SystemExit) as ended:
        app([*asked, "--interleave", "2", "--stretch", "4000", "--capacity", "16000"])
    assert not ended.value.code
    report = json.loads(capsys.readouterr().out)
    told = {"interleave": 2, "groups": 0, "stretch": 4000, "seed": 1}
    assert report["interleaving"] == told
    assert report["16000"]["tail"]["needs"] == 2
