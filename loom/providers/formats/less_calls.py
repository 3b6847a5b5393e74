"""A provider's reply without some of its calls: for a host that must not see those answered here.

What is returned is the plain value of the reply, in its provider's shape; where no call is left it
says that it ended as one that has none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from msgspec.structs import replace

from loom.inputs import Reply, ToolCall
from loom.providers.formats import anthropic, gemini, openai, responses
from loom.providers.formats.unknown import UnknownReply
from loom.providers.formats.wire import Wire, plain

Names = Collection[str]
KNOWN = "a reply of a known provider"


def less_calls(reply: object, names: Names) -> Any:
    """The reply less its calls of those names. Raises UnknownReply."""
    if isinstance(reply, Reply):
        parts = (p for p in reply.parts if not (isinstance(p, ToolCall) and p.name in names))
        return replace(reply, parts=tuple(parts))
    try:
        value = plain(reply)
        for accepts, less in _LESS:
            if accepts(value):
                return less(value, names)
    except (TypeError, AttributeError, LookupError, ValueError, RecursionError) as error:
        # A member of another type than any provider sends, or one nested without end.
        raise UnknownReply(reply, KNOWN) from error
    raise UnknownReply(reply, KNOWN)


def _openai(value: Wire, names: Names) -> Wire:
    if "choices" in value:
        return {**value, "choices": [_choice(choice, names) for choice in value["choices"]]}
    left = [call for call in value.get("tool_calls") or () if _name(call) not in names]
    return {**{key: one for key, one in value.items() if key != "tool_calls"}, **_calls(left)}


def _choice(choice: Wire, names: Names) -> Wire:
    message = _openai(choice.get("message") or {}, names)
    ended = choice.get("finish_reason")
    return {
        **choice,
        "message": message,
        "finish_reason": "stop" if ended == "tool_calls" and "tool_calls" not in message else ended,
    }


def _calls(left: list[Wire]) -> Wire:
    return {"tool_calls": left} if left else {}


def _name(call: Wire) -> str:
    body = call.get("function") or call.get("custom") or {}
    return str(body.get("name") or "")


def _anthropic(value: Wire, names: Names) -> Wire:
    content = value.get("content")
    if not isinstance(content, list):
        return value
    left = [one for one in content if one.get("type") != "tool_use" or one.get("name") not in names]
    if any(one.get("type") == "tool_use" for one in left):
        return {**value, "content": left}
    ended = value.get("stop_reason")
    return {**value, "content": left, "stop_reason": "end_turn" if ended == "tool_use" else ended}


def _responses(value: Wire, names: Names) -> Wire:
    output = value.get("output") or []
    left = [
        one
        for one in output
        if one.get("type") not in responses.CALLS or one.get("name") not in names
    ]
    return {**value, "output": left}


def _gemini(value: Wire, names: Names) -> Wire:
    if "candidates" in value:
        candidates = [
            {**one, "content": _gemini(one.get("content") or {}, names)}
            for one in value["candidates"] or ()
        ]
        return {**value, "candidates": candidates}
    return {**value, "parts": [p for p in value.get("parts") or () if _called(p) not in names]}


def _called(part: Wire) -> str:
    call = part.get("function_call") or part.get("functionCall") or {}
    return str(call.get("name") or "")


# In the order replies are told apart: the narrower shape first.
_LESS: tuple[tuple[Callable[[object], bool], Callable[[Wire, Names], Wire]], ...] = (
    (anthropic.accepts, _anthropic),
    (responses.accepts, _responses),
    (openai.accepts, _openai),
    (gemini.accepts, _gemini),
)
