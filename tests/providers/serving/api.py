"""What the four APIs have in common: a request as it was read, what it used, how it is streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.providers.serving.prompt import Prompt
from tests.providers.serving.script import Line, Tool


class Refusal(Exception):
    """A request the provider refuses: an HTTP status and the body of its error."""

    def __init__(self, status: int, body: dict[str, Any] | str) -> None:
        self.status = status
        self.body = body
        super().__init__(f"{status} {body}")


class Asked(NamedTuple):
    """A lawful request: its prompt, its tools, the reply's limit, and what was asked for. `bound`
    are the signatures it may send from now on after what it sent before them."""

    model: str
    prompt: Prompt
    tools: tuple[Tool, ...]
    most: int  # output tokens the reply may take
    stream: bool
    body: dict[str, Any]
    bound: frozenset[tuple[str, bytes]] = frozenset()


class Usage(NamedTuple):
    """Tokens of a request and its reply as the server counts them; `read` came from its cache."""

    total: int
    read: int
    write: int
    output: int


class Turn(NamedTuple):
    """All a reply is made from. `name` is unique to it; `items` is the session's memory."""

    asked: Asked
    line: Line
    usage: Usage
    name: str
    items: dict[str, Any]


def sse(data: Any, event: str = "") -> str:
    """One server-sent event."""
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def pieces(text: str, size: int = 96) -> Iterator[str]:
    """A text cut as a stream cuts it."""
    yield from (text[at : at + size] for at in range(0, len(text), size))
