"""The messages of smolagents as Chat Completions: all are texts and pictures, calls too."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any

from loom.engine.turn import Turn

ROLES = {"tool-call": "assistant", "tool-response": "user"}
FORMAT = "openai"


def listed(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """Messages as `ctx.sync` takes them, each for itself."""
    return [_listed(one) for one in messages]


def _listed(message: Any) -> dict[str, Any]:
    given = message if isinstance(message, dict) else vars(message)
    role = str(getattr(given["role"], "value", given["role"]))
    content = given.get("content") or ""
    parts = content if isinstance(content, str) else [*map(_part, content)]
    return {"role": ROLES.get(role, role), "content": parts}


def _part(part: dict[str, Any]) -> dict[str, Any]:
    """A part; a picture as PNG, which is how the host sends it."""
    if part.get("type") != "image":
        return part
    data = BytesIO()
    part["image"].save(data, format="PNG")
    url = f"data:image/png;base64,{b64encode(data.getvalue()).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def sent(turn: Turn) -> list[dict[str, Any]]:
    """The messages of a request; the host joins neighbours, so each is a list of parts."""
    return [
        {"role": one["role"], "content": [*_parts(one["content"])]}
        for one in turn.request(FORMAT, cache=False)["messages"]
    ]


def _parts(content: str | list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    else:
        yield from (dict(part) for part in content)


def tools_of(tools: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the host's tools, as `ctx.tools.declare` takes them."""
    for tool in tools:
        inputs = {name: dict(one) for name, one in tool.inputs.items()}
        needed = [name for name, one in inputs.items() if not one.get("nullable")]
        schema = {"type": "object", "properties": inputs, "required": needed}
        yield {"name": tool.name, "description": tool.description, "parameters": schema}
