"""A stream that fails, is overtaken, or is asynchronous: its reply is taken at its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.journal import stored
from tests.kit.opened import plain
from tests.kit.replies import STREAMS


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A turn was made."""
    with plain(tmp_path / "w", window=16_000) as made:
        made.user("Both, please.")
        made.turn()
        yield made


FAILED = {
    "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}},
    "openai": {"error": {"code": 502, "message": "Busy"}, "choices": []},
    "responses": {"type": "error", "code": "server_error", "message": "Busy", "param": None},
}


@pytest.mark.parametrize("name", FAILED)
def test_the_provider_fails(ctx: loom.Context, tmp_path: Path, name: str) -> None:
    """A failure in the stream is raised with its words, and nothing is recorded."""
    before, window, turn = stored(tmp_path / "w"), ctx.window, ctx.turn()
    with pytest.raises(loom.StreamFailed, match="Busy"):
        [*ctx.collect([*STREAMS[name][:2], FAILED[name]])]
    assert stored(tmp_path / "w") == before and ctx.window is window
    assert ctx.turn().sha256 == turn.sha256


def test_a_reply_comes_between(ctx: loom.Context, tmp_path: Path) -> None:
    """Where another reply was taken while the stream ran, the streamed one is refused whole."""
    through: Any = ctx.collect(iter(STREAMS["openai"]))
    next(through)
    ctx.reply(loom.Reply((loom.ToolCall("x", "Bash", "{}"),)))
    before = stored(tmp_path / "w")
    with pytest.raises(loom.OpenCalls):
        list(through)
    assert stored(tmp_path / "w") == before
    assert [call.id for call in ctx.calls] == ["x"]


@pytest.mark.parametrize("name", STREAMS)
def test_an_asynchronous_stream(ctx: loom.Context, tmp_path: Path, name: str) -> None:
    """It goes through chunk by chunk, and its reply is that of the same stream read at once."""

    async def later() -> AsyncIterator[Any]:
        for chunk in STREAMS[name]:
            await asyncio.sleep(0)
            yield chunk

    async def run() -> list[Any]:
        through: Any = ctx.collect(later())
        return [chunk async for chunk in through]

    seen = asyncio.run(run())
    assert all(one is two for one, two in zip(seen, STREAMS[name], strict=True))
    with plain(tmp_path / "twin", window=16_000) as twin:
        twin.user("Both, please.")
        twin.turn()
        [*twin.collect(STREAMS[name])]
        assert ctx.history.restore(2).reply == twin.history.restore(2).reply
    assert "Look." in ctx.text
