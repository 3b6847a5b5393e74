"""The proxy on a socket, and a small agent of each wire API that keeps its own list."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Self

import httpx2
import uvicorn

from loom.inputs import Speech
from loom.providers.formats import format_of
from loom.providers.formats.stream.collected import CollectedStream
from loom.serve.app import application

Wire = dict[str, Any]
PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
}
FORMATS = tuple(PATHS)


class PromptServer(uvicorn.Server):
    """A server in a thread, from `with` on, that ends when it is told to and its connections have
    ended: uvicorn's own looks ten times a second, which is most of the time of a short test."""

    def __init__(self, config: uvicorn.Config, *sockets: socket.socket) -> None:
        super().__init__(config)
        self._over = asyncio.Event()
        self._thread = Thread(target=self.run, args=([*sockets] or None,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        while not self.started:
            time.sleep(0.002)
        return self

    def __exit__(self, *raised: object) -> None:
        self.should_exit = True
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    @property
    def port(self) -> int:
        """The port it has."""
        return int(self.servers[0].sockets[0].getsockname()[1])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, in the loop that is to be told of the end."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    async def main_loop(self) -> None:
        """Wait until it is told to end."""
        await self.on_tick(0)
        await self._over.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close what listens and what is idle, and let the rest end."""
        state = self.server_state
        for one in (*self.servers, *(sockets or ())):
            one.close()
        for connection in [*state.connections]:
            connection.shutdown()
        while (state.connections or state.tasks) and not self.force_exit:
            await asyncio.sleep(0.002)
        await self.lifespan.shutdown()


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The address of an ASGI application on a socket of this machine."""
    with PromptServer(uvicorn.Config(app, port=0, log_level="critical", ws="none")) as server:
        yield f"http://127.0.0.1:{server.port}"


@contextmanager
def proxy(folder: Path, upstream: str, window: int = 24_000, **given: Any) -> Iterator[str]:
    """The address of a proxy whose workspaces lie in a folder."""
    with served(application(folder, dict.fromkeys(FORMATS, upstream), window, **given)) as url:
        yield url


class ListingAgent:
    """An agent that sends its whole list each time and runs every call by `run`."""

    def __init__(
        self,
        format: str,
        url: str,
        run: Callable[[str, Wire], str],
        *,
        headers: Mapping[str, str] | None = None,
        stream: bool = True,
        tools: bool = True,
    ) -> None:
        self.format, self.url, self.stream = format, url, stream
        self.headers = dict(headers or {})
        self.list: list[Wire] = []
        self.replies: list[Wire] = []
        self._run, self._tools = run, tools

    def ask(self, prompt: str, most: int = 200) -> str:
        """Say something, and work until the model answers without a call: its answer."""
        self.list.append({"role": "user", "content": prompt})
        for _ in range(most):
            reply = self.send()
            made = format_of(self.format).decode(reply)
            self.list += _LISTED[self.format](reply)
            if not made.calls:
                return "".join(part.text for part in made.parts if isinstance(part, Speech))
            told = [(c.id, self._run(c.name, json.loads(c.arguments))) for c in made.calls]
            self.list += _RESULTS[self.format](told)
        raise AssertionError("the model never ended")

    def body(self, **more: Any) -> Wire:
        """The next request."""
        return {**_body(self.format, self.list, self._tools), "stream": self.stream, **more}

    def send(self, **more: Any) -> Wire:
        """The reply to the next request, whole. Raises AssertionError for an error's status."""
        address, body = self.url + PATHS[self.format], self.body(**more)
        with httpx2.Client(timeout=60) as client:
            response = client.post(address, json=body, headers=self.headers)
        assert response.status_code == 200, response.text
        reply = _whole(self.format, response.text) if self.stream else response.json()
        self.replies.append(reply)
        return reply


TOOL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


SAID = "You keep the books."


def _body(format: str, items: list[Wire], tools: bool) -> Wire:
    """A request of an API: model, instructions, list, and a shell."""
    given: Wire = {"name": "shell", "description": "Runs a command."}
    declared: Wire
    if format == "anthropic":
        body = {"model": "claude-sonnet-4-5", "max_tokens": 1_000, "messages": items}
        body["system"] = [{"type": "text", "text": SAID}]
        declared = {**given, "input_schema": TOOL}
    elif format == "openai":
        body = {"model": "gpt-4o", "messages": [{"role": "system", "content": SAID}, *items]}
        body["stream_options"] = {"include_usage": True}
        declared = {"type": "function", "function": {**given, "parameters": TOOL}}
    else:
        body = {"model": "gpt-5", "input": items, "store": False, "instructions": SAID}
        declared = {"type": "function", **given, "parameters": TOOL}
    return {**body, "tools": [declared]} if tools else body


def _whole(format: str, text: str) -> Wire:
    """The reply that a stream made, put together as a client's library does."""
    made = CollectedStream()
    for line in text.splitlines():
        if line.startswith("data: ") and line != "data: [DONE]":
            made.take(json.loads(line[6:]))
    reply: Any = made.reply()
    return dict(reply)


def _anthropic_results(results: list[tuple[str, str]]) -> list[Wire]:
    told = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, text in results]
    return [{"role": "user", "content": told}]


_RESULTS: dict[str, Callable[[list[tuple[str, str]]], list[Wire]]] = {
    "anthropic": _anthropic_results,
    "openai": lambda results: [
        {"role": "tool", "tool_call_id": id, "content": text} for id, text in results
    ],
    "responses": lambda results: [
        {"type": "function_call_output", "call_id": id, "output": text} for id, text in results
    ],
}
_LISTED: dict[str, Callable[[Wire], list[Wire]]] = {
    "anthropic": lambda reply: [{"role": "assistant", "content": reply["content"]}],
    "openai": lambda reply: [{"role": "assistant", **reply["choices"][0]["message"]}],
    "responses": lambda reply: reply["output"],
}
