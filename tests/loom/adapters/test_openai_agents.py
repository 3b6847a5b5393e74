"""The OpenAI Agents SDK itself, its client pointed at a server that refuses what is not lawful."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import loom

agents = pytest.importorskip("agents", reason="openai-agents is not installed")
openai = pytest.importorskip("openai")

from tests.kit.agents_sdk import (  # noqa: E402
    APIS,
    EACH,
    ROOT,
    WINDOW,
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
    text_of,
)
from tests.kit.cases import each_value, some  # noqa: E402
from tests.kit.steps import survey  # noqa: E402

__all__ = ["serve"]  # a fixture


@EACH
def test_sixty_steps(tmp_path: Path, serve: Serve, api: str, streamed: bool) -> None:
    """Calls at once, notes answered inside, sixty steps in a small window; nothing is refused."""
    server = serve(survey(60), limit=WINDOW, thinks=api == "responses")

    async def go() -> None:
        history = session(tmp_path)
        with opened(tmp_path, goal="Read all.") as ctx:
            async with configured(ctx, server, api) as config:
                given = {"session": history, "run_config": config, "streamed": streamed}
                result = await run(surveyor(), "Go on.", **given)
                assert result.final_output == "Done."
                usage = result.context_wrapper.usage
                assert usage.input_tokens == sum(one.tokens for one in server.exchanges)
                await run(surveyor(), "Once more.", **given)
            items = await history.get_items()
            no_fault(server)
            is_whole(ctx, items)
            names = {item["name"] for item in items if "name" in item}
            assert names == {"read_file"}
            assert ctx.window.sent.generation > 1
            assert len(server.exchanges) == 62
            if streamed:
                told = json.dumps([event.model_dump(mode="json") for event in result.raw])
                assert '"name": "note"' not in told
                ends = [e for e in result.raw if e.type == "response.completed"]
                assert len(ends) == 61 - len([at for at in range(60) if at % 7 == 3])
        history.close()

    asyncio.run(go())


def alike(body: Any) -> Any:
    """A request without what differs from workspace to workspace: its mark, the time of day."""
    kept = {name: body[name] for name in ("instructions", "input", "tools", "store")}
    text = re.sub(r"\b[a-z]{2}\d\d\b", "MARK", json.dumps(kept))
    return json.loads(re.sub(r"\d\d:\d\d:\d\d", "TIME", text))


@pytest.mark.parametrize("streamed", some([True, False], 1))
def test_the_requests_are_those_of_the_plain_loop(
    tmp_path: Path, serve: Serve, streamed: bool
) -> None:
    """Whoever calls `user`, `reply`, `result` and `turn` sends the same."""
    server, plain = serve(survey(24), limit=WINDOW), serve(survey(24), limit=WINDOW)

    async def go() -> None:
        with opened(tmp_path) as ctx:
            async with configured(ctx, server, "responses") as config:
                await run(surveyor(), "Go on.", run_config=config, streamed=streamed)

    asyncio.run(go())
    client = openai.OpenAI(api_key="key", base_url=plain.v1, max_retries=0)
    with client, loom.open(tmp_path / "plain", durable=False, window=WINDOW) as ctx:
        told = {"name": "read_file", "description": "Read a file."}
        ctx.tools.declare({**told, "parameters": read_file.params_json_schema})
        ctx.system("You read.")
        ctx.user("Go on.")
        while not ctx.done:
            ctx.reply(client.responses.create(**ctx.turn().request("responses", model="gpt-5")))
            for call in ctx.calls:
                ctx.result(call, text_of(json.loads(call.arguments)["path"]))
    assert len(server.exchanges) == len(plain.exchanges) == 25
    for one, other in zip(server.exchanges, plain.exchanges, strict=True):
        ours, theirs = alike(one.body), alike(other.body)
        for each in (ours, theirs):
            for tool in each["tools"]:
                tool.pop("strict")  # the host's own is strict
            each["tools"].sort(key=lambda tool: tool["name"])
        assert ours == theirs


CHILD = """
import asyncio, os, sys
from pathlib import Path
from tests.kit import agents_sdk as kit

@kit.agents.function_tool
def read_file(path: str) -> str:
    "Read a file."
    if path == sys.argv[3]:
        os._exit(9)
    return kit.text_of(path)

class Place:
    v1 = sys.argv[1]

async def go():
    folder = Path(sys.argv[2])
    with kit.opened(folder, goal="Read all.") as ctx:
        async with kit.configured(ctx, Place, sys.argv[4]) as config:
            given = {"session": kit.session(folder), "run_config": config}
            await kit.run(kit.surveyor(tools=[read_file]), "Go on.", streamed=False, **given)

asyncio.run(go())
"""


@pytest.mark.parametrize("api", some(["responses", "openai"], 1))
def test_a_process_that_dies(tmp_path: Path, serve: Serve, api: str) -> None:
    """It ends within a tool; what stands on disk is gone on with, and nothing is there twice."""
    server = serve(survey(24), limit=WINDOW)
    dies_at = "src/b11.py"
    command = [sys.executable, "-c", textwrap.dedent(CHILD), server.v1, str(tmp_path), dies_at]
    done = subprocess.run([*command, api], cwd=ROOT, capture_output=True, check=False, timeout=240)
    assert done.returncode == 9, done.stderr.decode()

    async def go() -> None:
        history = session(tmp_path)
        before = await history.get_items()
        with opened(tmp_path) as ctx:
            assert ctx.calls  # the two of the step it died in
            async with configured(ctx, server, api) as config:
                given = {"session": history, "run_config": config, "streamed": False}
                result = await run(surveyor(), "Go on from there.", **given)
            assert result.final_output == "Done."
            items = await history.get_items()
            assert items[: len(before)] == before
            no_fault(server)
            is_whole(ctx, items)
        history.close()

    asyncio.run(go())


@APIS
def test_an_edit_of_the_history(tmp_path: Path, serve: Serve, api: str) -> None:
    """Items taken from the session's end are undone; what they said is asked for anew."""
    server = serve(survey(16), limit=WINDOW)

    async def go() -> None:
        history = session(tmp_path)
        with opened(tmp_path) as ctx:
            async with configured(ctx, server, api) as config:
                given = {"session": history, "run_config": config, "streamed": False}
                await run(surveyor(), "First.", **given)
                await run(surveyor(), "Second.", **given)
                for _ in range(2):  # the answer, and the question
                    await history.pop_item()
                await run(surveyor(), "Another second.", **given)
            items = await history.get_items()
            no_fault(server)
            is_whole(ctx, items)
            asked = json.dumps(server.exchanges[-1].body)
            assert "Another second." in asked and '"Second."' not in asked
            entries = range(1, ctx.window.history.next_id)
            assert "Second." in [ctx.history.restore(entry).text for entry in entries]
        history.close()

    asyncio.run(go())


@pytest.mark.parametrize(
    ("api", "streamed", "too_long"),
    each_value(["responses", "openai"], [True, False], ["stated", "unstated", "413"]),
)
def test_too_long(tmp_path: Path, serve: Serve, api: str, streamed: bool, too_long: str) -> None:
    """The provider's window is half of what the workspace was told: asked again, smaller."""
    server = serve(survey(12), limit=8_000, too_long=too_long)

    async def go() -> None:
        history = session(tmp_path)
        with opened(tmp_path) as ctx:
            async with configured(ctx, server, api) as config:
                given = {"session": history, "run_config": config, "streamed": streamed}
                assert (await run(surveyor(), "Go on.", **given)).final_output == "Done."
                is_whole(ctx, [*await history.get_items()][:1])
            assert server.refused
            assert len(server.accepted) == 13
        history.close()

    asyncio.run(go())


def test_the_page(tmp_path: Path, serve: Serve) -> None:
    """The block of the page runs as printed, and once more in the same folder."""
    steps = [("", ("read_file", {"path": "a.py"}), ("note", {"text": "so"}))] * 3
    server = serve(steps)
    (tmp_path / "a.py").write_text(text_of("a.py"))
    page = (ROOT / "docs/adapters/openai-agents.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1
    server_of = {"OPENAI_BASE_URL": server.v1, "OPENAI_API_KEY": "key"}
    quiet = {"OPENAI_AGENTS_DISABLE_TRACING": "1", "NO_PROXY": "127.0.0.1"}
    paths = os.pathsep.join(str(ROOT / name) for name in ("", "partitions", "paging"))
    env = {"PYTHONPATH": paths, "PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", blocks[0]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env=env | quiet | server_of,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr
        assert "Done." in done.stdout and "ρ" in done.stdout
    no_fault(server)
    assert len(server.exchanges) == 5
