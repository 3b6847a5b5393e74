"""What a refusal says of a shape nobody reads."""

from typing import Any

import pytest

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
