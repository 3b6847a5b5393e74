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
    """Five minutes where none says more; an hour where the list does, and until it does not, or
    where `cache_control` beside the messages says so. A longer mark stands before a shorter: the
    end of the list lasts as its last mark says, what is before as the longest."""
    said: dict[str, Any] = {"type": "text", "text": "hi"}
    with loom.open(tmp_path / "w", model="claude-opus-5", window=64_000) as ctx:
        ctx.system("Be careful.")
        for mark, wanted in (({"cache_control": HOUR}, "1h"), ({}, "5m")):
            turn = ctx.sync([{"role": "user", "content": [{**said, **mark}]}], "anthropic")
            assert {*marks(turn.request("anthropic"))} == {wanted}
        assert {*marks(ctx.turn().request("anthropic", cache_control=HOUR))} == {"1h"}
        short = {"cache_control": {"type": "ephemeral"}}
        talk = [
            {"role": "user", "content": [{**said, "cache_control": HOUR}]},
            {"role": "assistant", "content": [said]},
            {"role": "user", "content": [{**said, **short}]},
        ]
        found = marks(ctx.sync(talk, "anthropic").request("anthropic"))
    assert found == sorted(found, key=("1h", "5m").index) and {*found} == {"1h", "5m"}
