"""Pydantic AI itself, its clients pointed at a server that refuses what is not lawful."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loom.adapters.sessions import Sessions

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")


from tests.kit.awaited import awaited
from tests.kit.pydantic_agents import (
    APIS,
    WAYS,
    WINDOW,
    is_whole,
    no_fault,
    reader,
    run,
)
from tests.kit.scripted_server import ScriptedServer, said
from tests.kit.steps import survey


def surveying(many: int) -> Any:
    """A script of an agent that reads, in so many steps."""
    steps = [
        (text, *((name, json.dumps(given, separators=(",", ":"))) for name, given in calls))
        for text, *calls in survey(many)
    ]
    return lambda messages, step: said(*steps[step]) if step < many else "Done."


@APIS
@WAYS
@awaited
async def test_sixty_steps(tmp_path: Path, api: str, streamed: bool) -> None:
    """Calls at once, notes answered inside, sixty steps in a small window; nothing is refused."""
    with (
        ScriptedServer(surveying(60), limit=WINDOW) as server,
        Sessions(tmp_path, window=WINDOW, durable=False) as sessions,
    ):
        async with reader(api, server, sessions) as agent:
            result = await run(agent, "Go on.", streamed=streamed, conversation_id="one")
            assert result.output == "Done."
            assert result.usage.input_tokens == sum(one.tokens for one in server.exchanges)
            history = result.all_messages()
            again = await run(agent, "More.", streamed=streamed, message_history=history)
        no_fault(server)
        assert len(server.bodies) == 62
        history = again.all_messages()
        calls = {call.tool_name for one in history for call in getattr(one, "tool_calls", ())}
        assert calls == {"read_file"}
        is_whole(sessions.of("one"), history[:-1])
