"""The laws of Responses requests.

Sources: the API reference and the docstrings of the SDK's input items; the guides on function
calling, on reasoning and on conversation state (with `store=False` reasoning travels encrypted,
and items come back with the reasoning they were given beside); the refusals of the service: "No
tool output found for function call", "Duplicate function_call_output for call_id", "Duplicate item
found with id", "Expected an ID that begins with 'fc'", "'reasoning' was provided without its
required following item", "'function_call' was provided without its required 'reasoning' item".

A reply is a run of output items: messages of the assistant, reasoning, calls. What the host gives
(messages of others, outputs of calls) ends it. Which reasoning an item came with is not in the
request, so it is remembered from the request that first had the item.
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
    unidentified,
    unnamed,
)

ROLES = frozenset({"user", "assistant", "system", "developer"})
CALLS = frozenset({"function_call", "custom_tool_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
PREFIXES = {"function_call": "fc", "message": "msg", "reasoning": "rs"}
ID = 64


class ResponsesState(NamedTuple):
    """Calls that wait (id and number), reasoning that waits for its item, ids of its reply.

    `answering` says that outputs have come since the last call, `bare` is the first reasoning
    item without its encrypted content, -1 for none.
    """

    waiting: tuple[tuple[str, int], ...] = ()
    answering: bool = False
    thinking: int = -1
    beside: tuple[str, ...] = ()
    bare: int = -1


def step(
    state: ResponsesState, number: int, item: Any, memory: WalkMemory
) -> tuple[ResponsesState, list[str]]:
    """One item after those before it."""
    where = f"item {number}"
    if not isinstance(item, Mapping):
        return state, [f"{where}: it is no object"]
    kind = _kind(item)
    found = _identified(where, kind, item, number, memory)
    if not _of_reply(kind, item):
        found += _unfollowed(state)
        state = state._replace(thinking=-1, beside=())
    if kind in OUTPUTS:
        state, more = _output(state, where, number, item, memory)
        return state, found + more
    if state.answering or not _of_reply(kind, item):
        found += _unanswered(state)
        state = state._replace(waiting=(), answering=False)
    if kind == "reasoning":
        state, more = _reasoning(state, where, number, item)
        return state, found + more
    state = state._replace(thinking=-1)
    if kind == "message":
        found += _message(where, item)
    elif kind in CALLS:
        found += _call(where, kind, item, number, memory)
        state = state._replace(waiting=(*state.waiting, (str(item.get("call_id")), number)))
    if _of_reply(kind, item):
        found += _parted(state, where, item, memory)
    return state, found


def _kind(item: Object) -> str:
    return str(item.get("type") or ("message" if "role" in item else None))


def _of_reply(kind: str, item: Object) -> bool:
    if kind == "message":
        return item.get("role") == "assistant"
    return not kind.endswith(("_output", "_response"))


def _identified(where: str, kind: str, item: Object, number: int, memory: WalkMemory) -> list[str]:
    """Return the faults of an item's own id, which it need not have."""
    id = item.get("id")
    if id is None:
        return [f"{where}: reasoning without its id"] if kind == "reasoning" else []
    found = unidentified(where, id, ID)
    if not str(id).startswith(PREFIXES.get(kind, "")):
        found.append(f"{where}: the id {id!r} of a {kind} begins with {PREFIXES[kind]!r}")
    if not memory.use(f"item {id}", number):
        found.append(f"{where}: the item id {id!r} was used before")
    return found


def _output(
    state: ResponsesState, where: str, number: int, item: Object, memory: WalkMemory
) -> tuple[ResponsesState, list[str]]:
    id = str(item.get("call_id"))
    found = []
    if any(call == id for call, _ in state.waiting):
        left = tuple(pair for pair in state.waiting if pair[0] != id)
        state = state._replace(waiting=left, answering=True)
        memory.use(f"output {id}", number)
    elif not memory.use(f"output {id}", number):
        found.append(f"{where}: call {id!r} is answered a second time")
    else:
        found.append(f"{where}: output of {id!r}, a call not made directly before it")
    if _empty(item.get("output")):
        found.append(f"{where}: the output of {id!r} is blank")
    return state, found


def _reasoning(
    state: ResponsesState, where: str, number: int, item: Object
) -> tuple[ResponsesState, list[str]]:
    bare = number if blank(item.get("encrypted_content")) and state.bare < 0 else state.bare
    summary = item.get("summary")
    found = [] if isinstance(summary, list | tuple) else [f"{where}: reasoning has no summary list"]
    beside = (*state.beside, str(item.get("id")))
    return state._replace(thinking=number, beside=beside, bare=bare), found


def _message(where: str, item: Object) -> list[str]:
    role = str(item.get("role"))
    found = [] if role in ROLES else [f"{where}: no role is named {role!r}"]
    if _empty(item.get("content")):
        found.append(f"{where}: {role} content is blank")
    return found


def _empty(content: object) -> bool:
    """True when a content has nothing in it, or a text in it is blank."""
    if isinstance(content, list | tuple):
        parts = objects(content)
        texts = [part[key] for part in parts for key in ("text", "refusal") if key in part]
        return not parts or any(blank(text) for text in texts)
    return blank(content)


def _call(where: str, kind: str, item: Object, number: int, memory: WalkMemory) -> list[str]:
    id = item.get("call_id")
    found = unidentified(where, id, ID) + unnamed(where, item.get("name"), NAME)
    if not memory.use(f"call {id}", number):
        found.append(f"{where}: the call id {id!r} was used before")
    if kind == "function_call":
        found += ill_argued(where, id, item.get("arguments"))
    return found


def _parted(state: ResponsesState, where: str, item: Object, memory: WalkMemory) -> list[str]:
    """Return the fault of an item that has lost the reasoning it was first seen with."""
    id = item.get("id")
    if not isinstance(id, str):
        return []
    first = memory.beside.setdefault(id, state.beside[-1] if state.beside else "")
    if not first or first in state.beside:
        return []
    return [f"{where}: {id!r} without the reasoning {first!r} it came with; its id goes too"]


def _unfollowed(state: ResponsesState) -> list[str]:
    if state.thinking < 0:
        return []
    return [f"item {state.thinking}: reasoning without the item of its reply that follows it"]


def _unanswered(state: ResponsesState) -> list[str]:
    return [
        f"item {number}: call {id!r} has no output directly after it"
        for id, number in state.waiting
    ]


def end(state: ResponsesState, request: Object) -> list[str]:
    """Return the faults when nothing follows."""
    found = _unanswered(state) + _unfollowed(state)
    if state.bare >= 0 and request.get("store") is False:
        found.append(f"item {state.bare}: reasoning that is stored nowhere and not encrypted")
    return found


def rest(request: Object) -> list[str]:
    """The instructions, the tools, and the limit of the reply."""
    instructions = request.get("instructions")
    found = []
    if instructions is not None and blank(instructions):
        found.append("instructions: they are blank; leave them out")
    return [*found, *ill_declared(_tools(request), NAME), *limit(request, "max_output_tokens")]


def _tools(request: Object) -> Iterator[Tool]:
    for number, tool in enumerate(objects(request.get("tools"))):
        if tool.get("type") == "function":
            yield f"tool {number}", tool.get("name"), tool.get("parameters")


def alone(text: str) -> Object:
    """The item of an input that is a text."""
    return {"role": "user", "content": text}


RULES = Rules("input", ResponsesState(), step, end, rest, alone)
