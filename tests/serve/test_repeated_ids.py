"""A provider that repeats the ids of its replies, and lists that are edited near their head."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from loom.serve.events import EventReader
from loom.serve.spliced_replies import reply_key as shown_key
from tests.kit.cases import each_value
from tests.serve.proxied import PATHS, served
from tests.serve.proxies import ServedProxy

TOOL = {"name": "Bash", "description": "d", "input_schema": {"type": "object", "properties": {}}}
ROUNDS = 8


def gateway(stream: bool) -> Starlette:
    """A Messages API that gives each reply the same id, and a call of its own."""
    numbers = iter(range(1_000))

    async def answer(request: Request) -> Response:
        await request.body()
        n = next(numbers)
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"n": n}}
        usage = {"input_tokens": 10, "output_tokens": 5}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": usage}
        if not stream:
            return JSONResponse({**head, "content": [call], "stop_reason": "tool_use"})
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**head, "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": call},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": usage},
            {"type": "message_stop"},
        ]
        data = "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
        return Response(data, media_type="text/event-stream")

    return Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])])


def reply_of(response: httpx2.Response) -> tuple[str, list[Any]]:
    """The id of a reply, and its calls."""
    if "event-stream" not in response.headers["content-type"]:
        return response.json()["id"], response.json()["content"]
    events = [one.data for one in EventReader().take(response.content)]
    calls = [one["content_block"] for one in events if one["type"] == "content_block_start"]
    return next(one["message"]["id"] for one in events if "message" in one), calls


def listed(talk: list[tuple[str, list[Any]]], merged: bool) -> list[dict[str, Any]]:
    """The list of a client that puts replies of one id together, or, `merged`, all of them."""
    made: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": "go"}]}]
    by_id: dict[str, dict[str, Any]] = {}
    for id, calls in talk:
        results = [
            {"type": "tool_result", "tool_use_id": one["id"], "content": f"{one['id']}\n" * 900}
            for one in calls
        ]
        key = "" if merged else id
        if key in by_id:
            by_id[key]["content"] += calls
            made[-1]["content"] += results
        else:
            by_id[key] = {"role": "assistant", "content": [*calls]}
            made += [by_id[key], {"role": "user", "content": results}]
    return made


@pytest.mark.parametrize(("stream", "merged"), each_value([False, True], [True, False]))
def test_no_page_for_each_result_of_each_request(
    tmp_path: Path, stream: bool, merged: bool
) -> None:
    """Each reply has an id of its own, said once; a list that is edited near its head all the same
    is told of once, and pages of what was undone are taken up again."""
    with served(gateway(stream)) as url, ServedProxy(url, tmp_path / "ws") as proxy:
        talk: list[tuple[str, list[Any]]] = []
        for _ in range(ROUNDS):
            body = {"model": "m", "max_tokens": 999, "tools": [TOOL], "stream": stream,
                    "messages": listed(talk, merged)}  # fmt: skip
            headers = {"x-loom-session": "s"}
            told = httpx2.post(proxy.url + PATHS["anthropic"], json=body, headers=headers)
            talk.append(reply_of(told))
        notices = httpx2.get(proxy.url + "/loom/health").json()["notices"]
        assert proxy.said.count("repeats the ids") == 1
        assert {one["kind"] for one in notices} == ({"ids", "edits"} if merged else {"ids"})
    assert len({id for id, _ in talk}) == ROUNDS and talk[0][0] == "msg_1"
    pages = [*next((tmp_path / "ws").rglob("outputs")).iterdir()]
    assert len(pages) == ROUNDS - 1


def test_items_of_one_id_are_told_apart() -> None:
    """Of the Responses API too: what one of them stands for does not stand for another."""
    one = {"type": "message", "id": "msg_0", "role": "assistant", "content": [{"text": "a"}]}
    assert shown_key(one) == shown_key({**one, "status": "completed"})
    assert shown_key(one) != shown_key({**one, "content": [{"text": "b"}]})
