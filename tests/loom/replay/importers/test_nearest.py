"""What a refusal says of a shape nobody reads."""

from typing import Any

import pytest

from loom.replay.importers import BadSession, load
from loom.replay.importers.nearest import nearest


@pytest.mark.parametrize(
    ("rows", "guess"),
    [
        ([], ""),
        ([{"text": "hello"}], ""),
        ([{"type": "session_meta", "payload": {}}], "a Codex rollout, but no line is a resp"),
        ([{"type": "summary", "leafUuid": "x"}], "a session of Claude Code"),
        ([{"status": "success", "eval": {}, "samples": []}], "an inspect log"),
        ([{"trajectory": [], "info": {}}], "a trajectory of SWE-agent"),
        ([{"needle": "x", "call": 3, "last_seen": 1}], "labels"),
    ],
)
def test_guess(rows: list[Any], guess: str) -> None:
    """A few marks are enough for a guess, and none give none."""
    assert guess in nearest(rows)
    assert bool(guess) == bool(nearest(rows))


def test_a_refusal_names_what_is_known_and_the_guess(jsonl: Any) -> None:
    """Whoever gives a rollout without items is told so, and which shapes are read."""
    with pytest.raises(BadSession) as caught:
        load(jsonl({"type": "session_meta", "payload": {}}, {"type": "event_msg", "payload": {}}))
    assert "looks like a Codex rollout, but no line is a response_item" in caught.value.why
    assert "known are Claude Code lines, Codex rollouts, opencode sessions" in caught.value.why
    with pytest.raises(BadSession, match="looks like an inspect log"):
        load(jsonl({"eval": {}, "status": "started", "samples": []}))
