"""Messages of Chat Completions as a host lists them, and what a request says of them."""

from typing import Any

import loom
from tests.kit.hosts import unheaded
from tests.kit.journal import lawful

SUMMED = {"type": "compaction", "id": "cmp_1", "encrypted_content": "ENC"}


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


def told(ctx: loom.Context, messages: list[Any], format: str = "openai", **more: Any) -> str:
    """The messages of the request that comes of a list, as a text."""
    request = ctx.sync(messages, format, **more).request(format)
    assert lawful(ctx) == []
    return str(request.get("messages") or request.get("input"))


def turns(*texts: str) -> list[dict[str, Any]]:
    """Words of the user and replies by turns, in the Responses format."""
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
