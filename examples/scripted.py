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
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple, Self

from replies import Call, Wire, anthropic_reply, openai_reply

KINDS = ("application/json", "text/event-stream")
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
                api = anthropic_reply if self.path.endswith("/messages") else openai_reply
                reply, events = api(*script(seen_in(body)), body)
                data = "".join(events) if body.get("stream") else json.dumps(reply)
                self.send_response(200)
                self.send_header("content-type", KINDS[bool(body.get("stream"))])
                self.end_headers()
                self.wfile.write(data.encode())

            def log_message(self, *_: object) -> None:
                """Say nothing on stderr."""

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
