"""A model provider on this machine whose model is a function, so that examples run without a key.

    def script(seen):  # what the "model" says to a request
        return "Reading on.", [("read_file", {"path": "a.txt"})]

    with ScriptedProvider(script) as provider:
        client = openai.OpenAI(base_url=provider.url, api_key="any")

It answers OpenAI's Chat Completions and Anthropic's Messages, whole or streamed, on the loopback.
The function is given what stands in the request: like a model it remembers only what it is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple, Self
from uuid import uuid4

from loom.providers.counts import counter_for

KINDS = ("application/json", "text/event-stream")
Wire = dict[str, Any]
Call = tuple[str, Wire]  # the name of a tool and its arguments
Said = tuple[str, list[Call]]  # what a model says: a text, then calls


class Seen(NamedTuple):
    """A request as a scripted model sees it: its text, and the calls that stand in it."""

    text: str
    calls: list[Call]


class ScriptedProvider:
    """The provider; `url` is the base of both APIs, `bodies` are the requests it was sent."""

    def __init__(self, script: Callable[[Seen], Said]) -> None:
        self.bodies: list[Wire] = []
        provider = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # the name http.server asks for
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                provider.bodies.append(body)
                api = _anthropic if self.path.endswith("/messages") else _openai
                reply, events = api(*script(seen_in(body)), body)
                streamed = body.get("stream")
                data = "".join(events) if streamed else json.dumps(reply)
                self.send_response(200)
                self.send_header("content-type", KINDS[bool(streamed)])
                self.end_headers()
                self.wfile.write(data.encode())

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)  # any free port
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def seen_in(body: Wire) -> Seen:
    """What stands in a request of either API."""
    calls, texts = list[Call](), list[str]()
    for message in body["messages"]:
        content = message.get("content") or ""
        blocks = [{"text": content}] if isinstance(content, str) else content
        inner = [block.get("content", block.get("text", "")) for block in blocks]
        texts.append("\n".join(one if isinstance(one, str) else json.dumps(one) for one in inner))
        for one in [call["function"] for call in message.get("tool_calls") or ()]:
            calls.append((one["name"], json.loads(one["arguments"])))
        calls += [(one["name"], one["input"]) for one in blocks if one.get("type") == "tool_use"]
    return Seen("\n".join(texts), calls)


def _openai(text: str, calls: list[Call], body: Wire) -> tuple[Wire, Iterator[str]]:
    functions = [{"name": name, "arguments": json.dumps(given)} for name, given in calls]
    made: list[Wire] = [{"type": "function", "function": one} for one in functions]
    made = [{**one, "id": f"call_{uuid4().hex[:16]}"} for one in made]
    end = "tool_calls" if calls else "stop"
    head = {"id": f"chatcmpl-{uuid4().hex}", "created": 0, "model": body.get("model", "")}
    message: Wire = {"role": "assistant", "content": text or None, "tool_calls": made or None}
    whole = {"index": 0, "message": message, "finish_reason": end}
    reply = {**head, "object": "chat.completion", "choices": [whole]}
    deltas: list[Wire] = [{"role": "assistant"}]
    deltas += [{"content": word} for word in re.findall(r"\S+\s*", text)]
    deltas += [{"tool_calls": [{"index": at, **call}]} for at, call in enumerate(made)]
    choices = [{"index": 0, "delta": one, "finish_reason": None} for one in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": end})
    chunks = ({**head, "object": "chat.completion.chunk", "choices": [one]} for one in choices)
    return reply, (f"data: {one}\n\n" for one in [*map(json.dumps, chunks), "[DONE]"])


def _anthropic(text: str, calls: list[Call], body: Wire) -> tuple[Wire, Iterator[str]]:
    blocks: list[Wire] = [{"type": "text", "text": text}] if text else []
    uses = ({"type": "tool_use", "name": name, "input": given} for name, given in calls)
    blocks += [{**one, "id": f"toolu_{uuid4().hex[:16]}"} for one in uses]
    end = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    usage = {"input_tokens": counter_for()(json.dumps(body)), "output_tokens": 1}
    head: Wire = {"id": f"msg_{uuid4().hex}", "type": "message", "role": "assistant"}
    head |= {"usage": usage, "model": body.get("model", "")}
    events: list[Wire] = [{"type": "message_start", "message": {**head, "content": [], **end}}]
    for at, block in enumerate(blocks):
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": text}
        if block["type"] == "tool_use":
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [{"type": "content_block_start", "index": at, "content_block": start},
                   {"type": "content_block_delta", "index": at, "delta": delta},
                   {"type": "content_block_stop", "index": at}]  # fmt: skip
    events += [{"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]
    reply = {**head, "content": blocks, **end}
    return reply, (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
