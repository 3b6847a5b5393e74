"""A client of the Messages API that sends its whole list each time, as coding agents do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
from msgspec import json

from benchmarks.measures.served.provider import NAMED
from loom.inputs import Event, Reply, Result, Speech, System, ToolCall, User
from loom.providers.formats.wire import Wire, parse_object

PATH = "/v1/messages"
TOOL = {"type": "object", "properties": {}}


def lists(events: Iterator[Event]) -> Iterator[tuple[str, list[Wire]]]:
    """The instructions and the list of each request in turn; the list grows in place."""
    system, listed = "", list[Wire]()
    for event in events:
        if isinstance(event, System):
            system = event.text
        elif isinstance(event, Reply):
            if listed:
                yield system, listed
            blocks = _blocks(event)
            if blocks:
                listed.append({"role": "assistant", "content": blocks})
        else:
            _heard(listed, event)


def _blocks(reply: Reply) -> list[Wire]:
    blocks: list[Wire] = []
    for part in reply.parts:
        if isinstance(part, Speech) and part.text.strip():
            blocks.append({"type": "text", "text": part.text})
        elif isinstance(part, ToolCall):
            given = parse_object(part.arguments) or {}
            blocks.append({"type": "tool_use", "id": part.id, "name": part.name, "input": given})
    return blocks


def _heard(listed: list[Wire], event: User | Result) -> None:
    """Results and what the user says beside them are one message."""
    block: Wire = {"type": "text", "text": event.text}
    if isinstance(event, Result):
        block = {"type": "tool_result", "tool_use_id": event.call_id, "content": event.text}
    if listed and listed[-1]["role"] == "user":
        listed[-1]["content"].append(block)
    else:
        listed.append({"role": "user", "content": [block]})


class Client:
    """Sends requests of one conversation to an address."""

    def __init__(self, url: str, name: str) -> None:
        self._url = url + PATH
        self._headers = {
            NAMED: name, "x-loom-session": name, "x-api-key": "k",
            "anthropic-version": "2023-06-01", "content-type": "application/json",
        }  # fmt: skip
        self._http = httpx2.Client(timeout=120)

    def send(self, body: bytes) -> float:
        """Send a request; the seconds until its answer was read. Raises RuntimeError for an
        answer that is an error."""
        start = time.perf_counter()
        response = self._http.post(self._url, content=body, headers=self._headers)
        took = time.perf_counter() - start
        if response.status_code != httpx2.codes.OK or "message_stop" not in response.text:
            raise RuntimeError(f"{response.status_code}: {response.text[:300]}")
        return took

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()


def body(system: str, listed: list[Wire], **more: Any) -> bytes:
    """A request of these instructions and this list."""
    made: Mapping[str, Any] = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4_096,
        "stream": True,
        "system": system,
        "tools": [{"name": "shell", "description": "Runs a command.", "input_schema": TOOL}],
        "messages": listed,
        **more,
    }
    return json.encode(made)
