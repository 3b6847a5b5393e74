"""Marks of a provider's cache in a host's own list: those of a request last as long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import loom

HOUR = {"type": "ephemeral", "ttl": "1h"}


def marks(request: dict[str, Any]) -> list[str]:
    """How long the marks of a request last, in its order."""
    blocks = [*request.get("tools", ()), *request.get("system", ())]
    blocks += [block for one in request["messages"] for block in one["content"]]
    return [one["cache_control"].get("ttl", "5m") for one in blocks if "cache_control" in one]


def test_marks_last_as_those_of_the_list(tmp_path: Path) -> None:
    """Five minutes where none says more; an hour where the list does, and until it does not."""
    said: dict[str, Any] = {"type": "text", "text": "hi"}
    with loom.open(tmp_path / "w", model="claude-opus-5", window=64_000) as ctx:
        ctx.system("Be careful.")
        for mark, wanted in (({}, "5m"), ({"cache_control": HOUR}, "1h"), ({}, "5m")):
            turn = ctx.sync([{"role": "user", "content": [{**said, **mark}]}], "anthropic")
            assert {*marks(turn.request("anthropic"))} == {wanted}


def test_a_longer_mark_stands_before_a_shorter(tmp_path: Path) -> None:
    """The end of the list lasts as its last mark says, what is before as the longest."""
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "a", "cache_control": HOUR}]},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}]},
        {"role": "user", "content": [{"type": "text", "text": "c"}]},
    ]
    with loom.open(tmp_path / "w", model="claude-opus-5", window=64_000) as ctx:
        ctx.sync(talk[:1], "anthropic")
        talk[2]["content"][0]["cache_control"] = {"type": "ephemeral"}
        found = marks(ctx.sync(talk, "anthropic").request("anthropic"))
    assert found == sorted(found, key=("1h", "5m").index) and {*found} == {"1h", "5m"}


def test_a_mark_of_the_whole_request_counts(tmp_path: Path) -> None:
    """`cache_control` beside the messages (automatic caching) says how long, in the loop too."""
    with loom.open(tmp_path / "w", model="claude-opus-5", window=64_000) as ctx:
        ctx.user("hi")
        assert {*marks(ctx.turn().request("anthropic", cache_control=HOUR))} == {"1h"}
