"""Messages of Chat Completions as a host lists them, and what a request says of them."""

from __future__ import annotations

from typing import Any

import loom
from tests.kit.hosts import unheaded


def user(text: str) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    """A reply without calls."""
    return {"role": "assistant", "content": text}


def called(*calls: tuple[str, str, str]) -> dict[str, Any]:
    """A reply with calls: id, name, arguments."""
    made = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id, name, arguments in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(id: str, text: str) -> dict[str, Any]:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": id, "content": text}


def texts(ctx: loom.Context, messages: list[Any], **given: Any) -> list[str]:
    """The texts of the request that comes of a list, but for the head and blocks of Loom's own."""
    mark = ctx.window.config.mark
    wire = ctx.sync(messages, **given).request("openai")["messages"]
    told = [unheaded(str(one["content"])) for one in wire]
    return [text for text in told if mark not in text]
