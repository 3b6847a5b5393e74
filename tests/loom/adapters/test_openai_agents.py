"""What else runs of the OpenAI Agents SDK do: handoffs, agents as tools, approvals, guardrails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import loom

agents = pytest.importorskip("agents", reason="openai-agents is not installed")
openai = pytest.importorskip("openai")

from agents.models.chatcmpl_converter import Converter  # noqa: E402

from loom.adapters.openai_items import chat_items  # noqa: E402
from tests.kit.agents_sdk import (  # noqa: E402
    EACH,
    Serve,
    configured,
    is_whole,
    no_fault,
    opened,
    read_file,
    run,
    serve,
    session,
    surveyor,
)
from tests.kit.awaited import awaited  # noqa: E402
from tests.kit.cases import all_cases, each_value  # noqa: E402
from tests.kit.scripted_server import ScriptedServer  # noqa: E402
from tests.kit.steps import stepping  # noqa: E402
from tests.providers.serving import responses_replies  # noqa: E402
from tests.providers.serving.api import sse  # noqa: E402

__all__ = ["serve"]  # a fixture
READ = ("read_file", {"path": "src/a.py"})


@EACH
@awaited
async def test_an_agent_that_is_a_tool(
    tmp_path: Path, serve: Serve, api: str, streamed: bool
) -> None:
    """Its run has a list of its own, which the context above never sees; two may run at once."""
    asked = [("consult", {"input": f"Look at {at}."}) for at in range(2)]
    server, below = serve([("", READ), ("", *asked), ("", READ)]), serve([], last="Looked.")
    history = session(tmp_path)
    with opened(tmp_path) as ctx:
        async with configured(ctx, server, api) as config, configured(ctx, below, api) as its:
            # The same context, as where a tool's run has the configuration of the run above.
            helper = surveyor(instructions="You help.").as_tool("consult", "Ask.", run_config=its)
            given = {"session": history, "run_config": config, "streamed": streamed}
            await run(surveyor(tools=[read_file, helper]), "Go on.", **given)
            await run(surveyor(tools=[read_file, helper]), "Again.", **given)
        for one in (server, below):
            no_fault(one)
        assert len(below.exchanges) == 2
        for exchange in below.exchanges:
            assert "Go on." not in json.dumps(exchange.body)
            assert "page_in" not in json.dumps(exchange.body)
        is_whole(ctx, await history.get_items())
        assert "Looked." in json.dumps(server.exchanges[-1].body)
    history.close()


@awaited
async def test_a_tool_that_takes_the_configuration(tmp_path: Path, serve: Serve) -> None:
    """Without one of its own, an agent as a tool is asked without Loom, and the run goes on."""
    server = serve([("", ("consult", {"input": "Look."})), ("", READ), ("Looked.",), ("", READ)])
    with opened(tmp_path) as ctx:
        async with configured(ctx, server, "responses") as config:
            helper = surveyor(instructions="You help.").as_tool("consult", "Ask.")
            agent = surveyor(tools=[read_file, helper])
            result = await run(agent, "Go on.", run_config=config, streamed=False)
        assert result.final_output == "Done."
        is_whole(ctx, result.to_input_list())
        assert ctx.history.synced[0].role == "user" and len(ctx.history.synced) == 5
    own = ["page_in" in json.dumps(one.body["tools"]) for one in server.exchanges]
    assert own == [True, False, False, True, True]
    no_fault(server)


@awaited
async def test_what_a_run_must_not_have(tmp_path: Path, serve: Serve) -> None:
    """Lists the provider keeps or cuts, and tools whose calls Loom holds not: refused, typed."""
    server = serve([("", READ)])
    shell = agents.LocalShellTool(executor=lambda request: "")
    settings = agents.ModelSettings
    wrong: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {"conversation_id": "conv_1"}),
        ({}, {"previous_response_id": "resp_1"}),
        ({}, {"auto_previous_response_id": True}),
        ({"model_settings": settings(truncation="auto")}, {}),
        ({"model_settings": settings(context_management=[{"type": "compaction"}])}, {}),
        ({"tools": [shell]}, {}),
    ]
    for number, (has, given) in enumerate(wrong):
        with opened(tmp_path / str(number)) as ctx:
            async with configured(ctx, server, "responses") as config:
                asked = len(server.exchanges)
                with pytest.raises(loom.BadInput):
                    await run(surveyor(**has), "Go.", run_config=config, streamed=False, **given)
                if "auto_previous_response_id" not in given:  # known by the second request only
                    assert len(server.exchanges) == asked
                    assert ctx.window.history.next_id == 1


@pytest.mark.parametrize("model", ["deepseek-v4", "gpt-5"])
@awaited
async def test_reasoning_that_is_gone(tmp_path: Path, serve: Serve, model: str) -> None:
    """Where each reply with calls must have some, what stands for it is sent; nowhere else."""
    server = serve([("Read.", READ), ("", READ, READ)])
    with opened(tmp_path) as ctx:
        async with configured(ctx, server, "openai") as config:
            await run(surveyor(model=model), "Go.", run_config=config, streamed=False)
    no_fault(server)
    replies = [one for one in server.exchanges[-1].body["messages"] if one.get("tool_calls")]
    said = ["reasoning_content" in reply for reply in replies]
    assert said == [model == "deepseek-v4"] * 2
    assert replies[0]["content"] == "Read."


def test_signatures_that_are_gone() -> None:
    """Google wants one with the first call of each reply; one that came is sent as it came."""
    call = {"type": "function_call", "name": "read", "arguments": "{}"}
    result = {"type": "function_call_output", "output": "so"}
    signed = {"provider_data": {"model": "gemini-3-pro", "thought_signature": "its own"}}
    items: list[dict[str, Any]] = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "Read."},
        *({**call, "call_id": id} for id in "ab"),
        *({**result, "call_id": id} for id in "ab"),
        {**call, "call_id": "c", **signed},
        {**result, "call_id": "c"},
    ]

    def signatures(model: str) -> list[Any]:
        made = Converter.items_to_messages([*chat_items(items, model)], model=model)
        calls = [one for message in made for one in message.get("tool_calls", ())]
        return [one.get("extra_content", {}).get("google") for one in calls]

    gone = {"thought_signature": "skip_thought_signature_validator"}
    assert signatures("gemini-3-pro") == [gone, None, {"thought_signature": "its own"}]
    assert signatures("gpt-5") == [None] * 3
    assert [*chat_items([], "gemini-3-pro")] == []


class LateRefusal(ScriptedServer):
    """A server that says in the first stream, after it began, that the request is too long."""

    def replies(self, exchange: Any) -> Any:
        """What makes replies; of the first request, the failure."""
        made = super().replies(exchange)
        return self if len(self.exchanges) == 1 else made

    def events(self, turn: Any) -> Iterator[str]:
        """A stream that begins, and fails."""
        error = {"code": "context_length_exceeded", "message": "Your input is too long."}
        whole = responses_replies.reply(turn) | {"output": [], "usage": None}
        begun, failed = {"status": "in_progress"}, {"status": "failed", "error": error}
        for name, state in (("created", begun), ("failed", failed)):
            kind = f"response.{name}"
            yield sse({"type": kind, "sequence_number": 0, "response": whole | state}, kind)


@awaited
async def test_too_long_in_the_midst_of_a_stream(tmp_path: Path) -> None:
    """Asked again, smaller; the run sees one beginning, one end, and nothing of the failure."""
    script = stepping([("", READ), ("", READ), ("", READ)])
    with LateRefusal(script) as server, opened(tmp_path) as ctx:
        async with configured(ctx, server, "responses") as config:
            ctx.user("What is long. " * 900)
            result = await run(surveyor(), "Go.", run_config=config, streamed=True)
    assert len(server.exchanges) == 4  # the first of which failed, and counted as a step
    assert result.final_output == "Done."
    kinds = [event.type for event in result.raw]
    assert kinds.count("response.created") == kinds.count("response.completed")
    assert "response.failed" not in kinds


@all_cases(("api", "seed"), each_value(["responses", "openai"], range(2)))
@awaited
async def test_whatever_befalls_a_conversation(
    tmp_path: Path, serve: Serve, api: str, seed: int
) -> None:
    """Runs that fail, lists that are edited or emptied, workspaces opened anew, in any order."""
    random = Random(seed)
    note = ("working", {"action": "note", "text": "so"})
    steps = [
        (f"Step {at}.", *([READ] if at % 3 else []), *([note] if at % 4 == 1 else []))
        for at in range(200)
    ]
    server = serve(steps, limit=12_000)
    meant = 0  # failures the server was told to make
    history = session(tmp_path)
    ctx = opened(tmp_path)
    for at in range(14):
        what = random.choice(["run", "run", "stream", "pop", "break", "fail", "anew", "clear"])
        if what == "pop":
            for _ in range(random.randrange(1, 6)):
                await history.pop_item()
        elif what == "clear" and random.random() < 0.4:
            await history.clear_session()
        elif what == "anew":
            ctx.close()
            ctx = opened(tmp_path)
        elif what == "break":
            server.break_next(random.randrange(3))
        elif what == "fail":
            server.fail_next(500, {"error": {"message": "down", "type": "server_error"}})
        fails, meant = what in ("break", "fail"), meant + (what == "fail")
        streamed = what in ("stream", "break") or (what == "pop" and at % 2 == 0)
        async with configured(ctx, server, api) as config:
            given = {"session": history, "run_config": config, "streamed": streamed}
            said = random.choice(["Go on.", f"And {at}?"])
            if fails:
                with pytest.raises(Exception):  # noqa: B017
                    await run(surveyor(), said, **given)
            else:
                await run(surveyor(), said, **given)
                is_whole(ctx, await history.get_items())
    ctx.close()
    history.close()
    assert server.faults == []
    refused = [one.answer for one in server.refused if one.status != 500]
    assert [one for one in refused if "context" not in json.dumps(one)] == []
    assert len(server.refused) - len(refused) == meant
