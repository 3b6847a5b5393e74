"""Replies that come whole: one for a client out of several, less the calls answered here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from loom.providers.formats.wire import Wire
from loom.serve.splice import told


def joined(format: str, replies: Sequence[Wire]) -> Wire:
    """Several replies, each less the calls answered here, as one; usage is that of all
    (`told`)."""
    last = replies[-1]
    if len(replies) == 1:
        return last
    usage: Any = None
    for one in replies:
        usage = told(usage, one.get("usage"))
    made = {**last, **({"usage": usage} if usage else {})}
    return {**made, "id": replies[0].get("id", last.get("id")), **_JOINED[format](replies)}


def _anthropic(replies: Sequence[Wire]) -> Wire:
    return {"content": [block for one in replies for block in one.get("content") or ()]}


def _responses(replies: Sequence[Wire]) -> Wire:
    return {"output": [item for one in replies for item in one.get("output") or ()]}


def _openai(replies: Sequence[Wire]) -> Wire:
    said = [_message(one).get("content") for one in replies]
    text = "".join(one for one in said if isinstance(one, str))
    choice = replies[-1]["choices"][0]
    message = {**_message(replies[-1]), "content": text or None}
    return {"choices": [{**choice, "message": message}]}


def _message(reply: Wire) -> Wire:
    found: Wire = reply["choices"][0]["message"]
    return found


_JOINED: dict[str, Callable[[Sequence[Wire]], Wire]] = {
    "anthropic": _anthropic,
    "openai": _openai,
    "responses": _responses,
}


def as_listed(format: str, reply: Wire) -> list[Wire]:
    """The messages a client lists for a reply."""
    if format == "responses":
        return [*(reply.get("output") or ())]
    if format == "openai":
        return [{"role": "assistant", **_message(reply)}]
    return [{"role": "assistant", "content": reply.get("content") or []}]
