"""The laws of Chat Completions requests.

Sources: the API reference and the docstrings of the SDK's request types (roles, function names,
content required without tool calls); the refusals of the service (`tool_calls must be followed by
tool messages`, ids of at most 40 characters). Blank content counts as none: many hosts refuse it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from loom_bench.laws.walk import (
    NAME,
    Object,
    Rules,
    Tool,
    WalkMemory,
    blank,
    ill_argued,
    ill_declared,
    limit,
    objects,
    repeated,
    unidentified,
    unnamed,
)

INSTRUCTIONS = frozenset({"system", "developer"})
ROLES = INSTRUCTIONS | {"user", "assistant"}
ID = 40
INSTEAD = ("tool_calls", "function_call", "refusal", "audio")  # for an assistant's content


class OpenAIState(NamedTuple):
    """The calls that wait for a result, those answered, and whether the conversation began."""

    waiting: tuple[str, ...] = ()
    asked: int = -1
    answered: tuple[str, ...] = ()
    begun: bool = False


def step(
    state: OpenAIState, number: int, message: Any, memory: WalkMemory
) -> tuple[OpenAIState, list[str]]:
    """One message after those before it."""
    where = f"message {number}"
    if not isinstance(message, Mapping):
        return state, [f"{where}: it is no object"]
    role = str(message.get("role"))
    found = _blank(where, role, message)
    if role == "tool":
        state, more = _result(state, where, message.get("tool_call_id"))
        return state, found + more
    found = _unanswered(state) + found
    if role not in ROLES:
        found.append(f"{where}: no role is named {role!r}")
    if role in INSTRUCTIONS and state.begun:
        found.append(f"{where}: a {role} message stands after others; instructions lead")
    found += _calls(where, role, message)
    ids = tuple(str(call.get("id")) for call in objects(message.get("tool_calls")))
    return OpenAIState(ids, number, (), state.begun or role not in INSTRUCTIONS), found


def _result(state: OpenAIState, where: str, id: object) -> tuple[OpenAIState, list[str]]:
    call = str(id)
    if call in state.waiting:
        left = tuple(other for other in state.waiting if other != call)
        return state._replace(waiting=left, answered=(*state.answered, call)), []
    begun = state._replace(begun=True)
    if call in state.answered:
        return begun, [f"{where}: call {call!r} is answered a second time"]
    return begun, [f"{where}: result of {call!r}, a call not made directly before it"]


def _unanswered(state: OpenAIState) -> list[str]:
    return [
        f"message {state.asked}: call {id!r} has no result directly after it"
        for id in state.waiting
    ]


def _calls(where: str, role: str, message: Object) -> list[str]:
    given = message.get("tool_calls")
    if given is None:
        return []
    calls = objects(given)
    if role != "assistant":
        return [f"{where}: calls in a message of role {role!r}"]
    if not calls or len(calls) != len(given):
        return [f"{where}: tool_calls is no list of one call or more"]
    found = [f"{where}: two calls have the id {id!r}" for id in repeated(map(_id, calls))]
    for call in calls:
        found += unidentified(where, call.get("id"), ID)
        function = call.get("function")
        if isinstance(function, Mapping):
            found += unnamed(where, function.get("name"), NAME)
            found += ill_argued(where, _id(call), function.get("arguments"))
    return found


def _id(call: Object) -> str:
    return str(call.get("id"))


def _blank(where: str, role: str, message: Object) -> list[str]:
    content = message.get("content")
    if content is None and role == "assistant" and any(message.get(key) for key in INSTEAD):
        return []
    texts = [content]
    if isinstance(content, list | tuple):
        parts = objects(content)
        texts = [part.get(key) for part in parts for key in ("text", "refusal") if key in part]
        if parts and len(parts) == len(content) and not any(blank(text) for text in texts):
            return []
    is_blank = any(blank(text) for text in texts or [""])
    return [f"{where}: {role} content is blank"] if is_blank else []


def end(state: OpenAIState, request: Object) -> list[str]:
    """Return the faults when nothing follows."""
    return _unanswered(state)


def rest(request: Object) -> list[str]:
    """Return the faults of the tools and of the limit of the reply."""
    found = ill_declared(_tools(request), NAME)
    return found + limit(request, "max_completion_tokens", "max_tokens")


def _tools(request: Object) -> Iterator[Tool]:
    for number, tool in enumerate(objects(request.get("tools"))):
        if tool.get("type", "function") == "function":
            function = tool.get("function")
            held = function if isinstance(function, Mapping) else {}
            yield f"tool {number}", held.get("name"), held.get("parameters")


RULES = Rules("messages", OpenAIState(), step, end, rest)
