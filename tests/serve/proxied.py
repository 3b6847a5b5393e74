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
            text, calls = _READ[self.format](reply)
            self.list += _LISTED[self.format](reply)
            if not calls:
                return text
            self.list += _RESULTS[self.format]([(id, self._run(*call)) for id, *call in calls])
        raise AssertionError("the model never ended")

    def body(self, **more: Any) -> Wire:
        """The next request."""
        return {**_BODY[self.format](self.list, self._tools), "stream": self.stream, **more}

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


def _anthropic_body(items: list[Wire], tools: bool) -> Wire:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 1_000, "messages": items}
    body["system"] = [{"type": "text", "text": "You keep the books."}]
    given = {"name": "shell", "description": "Runs a command.", "input_schema": TOOL}
    return {**body, "tools": [given]} if tools else body


def _openai_body(items: list[Wire], tools: bool) -> Wire:
    system = {"role": "system", "content": "You keep the books."}
    body = {"model": "gpt-4o", "messages": [system, *items]}
    body["stream_options"] = {"include_usage": True}
    given = {"name": "shell", "description": "Runs a command.", "parameters": TOOL}
    return {**body, "tools": [{"type": "function", "function": given}]} if tools else body


def _responses_body(items: list[Wire], tools: bool) -> Wire:
    body = {"model": "gpt-5", "input": items, "store": False, "instructions": "You keep the books."}
    given = {"type": "function", "name": "shell", "description": "Runs a command."}
    return {**body, "tools": [{**given, "parameters": TOOL}]} if tools else body


def _whole(format: str, text: str) -> Wire:
    """The reply that a stream made, put together as a client's library does."""
    from loom.providers.formats.stream.collected import Collected

    made = Collected()
    for line in text.splitlines():
        if line.startswith("data: ") and line != "data: [DONE]":
            made.take(json.loads(line[6:]))
    reply: Any = made.reply()
    return dict(reply)


def _anthropic_read(reply: Wire) -> tuple[str, list[tuple[str, str, Wire]]]:
    text = "".join(one["text"] for one in reply["content"] if one["type"] == "text")
    used = (one for one in reply["content"] if one["type"] == "tool_use")
    return text, [(one["id"], one["name"], one["input"]) for one in used]


def _openai_read(reply: Wire) -> tuple[str, list[tuple[str, str, Wire]]]:
    message = reply["choices"][0]["message"]
    calls = message.get("tool_calls") or ()
    made = [(c["id"], c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls]
    return message.get("content") or "", made


def _responses_read(reply: Wire) -> tuple[str, list[tuple[str, str, Wire]]]:
    said = (one for one in reply["output"] if one["type"] == "message")
    text = "".join(part["text"] for one in said for part in one["content"])
    used = (one for one in reply["output"] if one["type"] == "function_call")
    return text, [(one["call_id"], one["name"], json.loads(one["arguments"])) for one in used]


def _openai_results(results: list[tuple[str, str]]) -> list[Wire]:
    return [{"role": "tool", "tool_call_id": id, "content": text} for id, text in results]


def _anthropic_results(results: list[tuple[str, str]]) -> list[Wire]:
    told = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, text in results]
    return [{"role": "user", "content": told}]


def _responses_results(results: list[tuple[str, str]]) -> list[Wire]:
    kind = "function_call_output"
    return [{"type": kind, "call_id": id, "output": text} for id, text in results]


_BODY = {"anthropic": _anthropic_body, "openai": _openai_body, "responses": _responses_body}
_READ = {"anthropic": _anthropic_read, "openai": _openai_read, "responses": _responses_read}
_RESULTS = {
    "anthropic": _anthropic_results,
    "openai": _openai_results,
    "responses": _responses_results,
}
_LISTED: dict[str, Callable[[Wire], list[Wire]]] = {
    "anthropic": lambda reply: [{"role": "assistant", "content": reply["content"]}],
    "openai": lambda reply: [{"role": "assistant", **reply["choices"][0]["message"]}],
    "responses": lambda reply: reply["output"],
}
