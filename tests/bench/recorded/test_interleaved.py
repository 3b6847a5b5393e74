"""Sessions interleaved into one long history, with their labels."""

import json
from collections.abc import Callable
from pathlib import Path

from loom.inputs import Reply
from loom_bench.recorded.labels import needs_of
from loom_bench.recorded.sources import Interleaved, interleaved, size
from loom_bench.sessions.needle import held

Recording = Callable[..., Path]
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
