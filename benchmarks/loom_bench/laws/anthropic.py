"""The laws of Messages requests.

Sources: Anthropic's documentation, "Handle tool calls" (results directly after their calls, first
in their message; a result may be without content), "Prompt caching" (at most four marks, none on
thinking or on empty text), "Extended thinking" (thinking comes back whole, signed, and ends no
message), "Server tools" (a call of the provider's own has its result in the same turn, a paused one
is sent back as it is, nothing stands behind an open one but results; November 2026), and the SDK's
docstrings; the refusals of the service (text must not be blank, ids unique and of `[a-zA-Z0-9_-]`).
The service joins neighbours of one role; hosts of this format do not, so roles must alternate here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from loom.lazy import lazy_re
from loom_bench.laws.walk import (
    Object,
    Rules,
    Tool,
    WalkMemory,
    blank,
    ill_declared,
    limit,
    objects,
    repeated,
    unnamed,
)

NAME = lazy_re(r"[a-zA-Z0-9_-]{1,128}")
ID = lazy_re(r"[a-zA-Z0-9_-]+")
MARKS = 4
CLAUDE = "claude"  # in the names of the maker's own models
ROLES = ("user", "assistant")
# Whose blocks they are, and the field that makes them what they are.
SPOKEN_BY = {
    "tool_use": "assistant",
    "tool_result": "user",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
}
SIGNED = {"thinking": "signature", "redacted_thinking": "data"}


class AnthropicState(NamedTuple):
    """The role before, the calls that wait for a result, and the cache marks so far.

    `open` are the provider's own calls without a result, `unsigned` is the first message with
    thinking that nobody signed, -1 for none.
    """

    role: str = "assistant"
    waiting: tuple[str, ...] = ()
    marks: int = 0
    open: tuple[str, ...] = ()
    unsigned: int = -1


def step(
    state: AnthropicState, number: int, message: Any, memory: WalkMemory
) -> tuple[AnthropicState, list[str]]:
    """One message after those before it."""
    where = f"message {number}"
    if not isinstance(message, Mapping):
        return state, [f"{where}: it is no object"]
    role = str(message.get("role"))
    content = message.get("content")
    blocks = _blocks(content)
    found = _turn(state, where, number, role)
    if isinstance(content, list | tuple) and len(blocks) != len(content):
        found.append(f"{where}: a block is no object")
    found += _shape(where, role, blocks)
    for block in blocks:
        found += _block(where, role, block)
    answers = [str(block.get("tool_use_id")) for block in _of("tool_result", blocks)]
    found += _answers(where, answers, state.waiting)
    waiting = tuple(str(block.get("id")) for block in _of("tool_use", blocks))
    found += [
        f"{where}: the id {id!r} was used before" for id in waiting if not memory.use(id, number)
    ]
    spoke = role if role in ROLES else state.role
    still, more = _served(where, role, blocks, state.open)
    bare = any(blank(block.get("signature")) for block in _of("thinking", blocks))
    unsigned = number if bare and state.unsigned < 0 else state.unsigned
    marks = state.marks + sum(map(_marks, blocks))
    return AnthropicState(spoke, waiting, marks, still, unsigned), found + more


def _turn(state: AnthropicState, where: str, number: int, role: str) -> list[str]:
    if role not in ROLES:
        return [f"{where}: no role is named {role!r}"]
    if role != state.role:
        return []
    before = f"follows {state.role!r}" if number else "opens the conversation"
    return [f"{where}: role {role!r} {before}"]


def _blocks(content: object) -> list[Object]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return objects(content)


def _of(kind: str, blocks: list[Object]) -> list[Object]:
    return [block for block in blocks if block.get("type") == kind]


def _shape(where: str, role: str, blocks: list[Object]) -> list[str]:
    kinds = [block.get("type") for block in blocks]
    found = []
    if not blocks:
        found.append(f"{where}: {role} content is blank")
    if kinds != sorted(kinds, key=lambda kind: kind != "tool_result"):
        found.append(f"{where}: a result stands after another block")
    if role == "assistant" and kinds and kinds[-1] in SIGNED:
        found.append(f"{where}: it ends in thinking")
    return found


def _block(where: str, role: str, block: Object) -> list[str]:
    kind = str(block.get("type"))
    if SPOKEN_BY.get(kind, role) != role:
        return [f"{where}: a {kind} block in a message of role {role!r}"]
    found = []
    if kind == "text" and blank(block.get("text")):
        found.append(f"{where}: a text block is blank")
    elif kind in SIGNED:
        if kind != "thinking" and blank(block.get(SIGNED[kind])):
            found.append(f"{where}: a {kind} block has no {SIGNED[kind]}")
        if "cache_control" in block:
            found.append(f"{where}: a {kind} block carries a cache mark")
    elif kind == "tool_use":
        found += unnamed(where, block.get("name"), NAME)
        if not ID.fullmatch(str(block.get("id", ""))):
            found.append(f"{where}: the id {block.get('id')!r} has characters not allowed")
        if not isinstance(block.get("input"), Mapping):
            found.append(f"{where}: the input of {block.get('id')!r} is no object")
    elif kind == "tool_result" and "content" in block:
        found += _content(where, block["content"])
    return found


def _content(where: str, content: object) -> list[str]:
    parts = _blocks(content)
    if not parts or any(blank(part.get("text")) for part in _of("text", parts)):
        return [f"{where}: a tool_result block is blank"]
    return []


def _answers(where: str, answers: list[str], waiting: tuple[str, ...]) -> list[str]:
    """Compare the results a message holds with the calls of the message before."""
    missing = [f"{where}: no result of {id!r}" for id in waiting if id not in answers]
    alien = [
        f"{where}: result of {id!r}, not a call of the message before"
        for id in dict.fromkeys(answers)
        if id not in waiting
    ]
    return missing + alien + [f"{where}: {id!r} is answered twice" for id in repeated(answers)]


def _served(
    where: str, role: str, blocks: list[Object], open: tuple[str, ...]
) -> tuple[tuple[str, ...], list[str]]:
    """Return the provider's own calls that are open behind a message, and the faults there.

    Behind one stands its result, in the same turn; or results of calls made beside it alone.
    """
    if role != "assistant":
        other = [block for block in blocks if block.get("type") != "tool_result"]
        if open and other:
            return (), [f"{where}: it stands behind {open[0]!r}, a call without its result"]
        return open, []
    waiting, found = [*open], []
    for block in blocks:
        kind, id = str(block.get("type")), str(block.get("tool_use_id"))
        if kind.endswith("_tool_use"):
            waiting.append(str(block.get("id")))
        elif kind.endswith("_tool_result") and id in waiting:
            waiting.remove(id)
        elif kind.endswith("_tool_result"):
            found.append(f"{where}: a {kind} of {id!r}, no call before it")
    return tuple(waiting), found


def _marks(block: Object) -> int:
    inner = objects(block.get("content")) if block.get("type") == "tool_result" else []
    return ("cache_control" in block) + sum("cache_control" in part for part in inner)


def end(state: AnthropicState, request: Object) -> list[str]:
    """Return the faults when nothing follows: open calls, and too many marks in all."""
    found = [f"messages: call {id!r} has no result at the end" for id in state.waiting]
    # Other makers' servers of this format give thinking an empty signature, and want it back.
    if state.unsigned >= 0 and CLAUDE in str(request.get("model") or CLAUDE):
        found.append(f"message {state.unsigned}: a thinking block has no signature")
    held = [request, *objects(request.get("tools")), *objects(request.get("system"))]
    marks = state.marks + sum("cache_control" in one for one in held)
    if marks > MARKS:
        found.append(f"cache_control: {marks} marks where {MARKS} are allowed")
    return found


def rest(request: Object) -> list[str]:
    """The instructions, the tools, and the limit of the reply."""
    found = []
    system = request.get("system")
    if system is not None:
        blocks = _blocks(system)
        found = [
            f"system: block {number} is no text with something in it"
            for number, block in enumerate(blocks)
            if block.get("type") != "text" or blank(block.get("text"))
        ]
        if not blocks:
            found.append("system: it is empty; leave it out")
    return [
        *found,
        *ill_declared(_tools(request), NAME),
        *limit(request, "max_tokens", required=True),
    ]


def _tools(request: Object) -> Iterator[Tool]:
    for number, tool in enumerate(objects(request.get("tools"))):
        # Tools of the provider have a type, and no schema.
        own = tool.get("type") in (None, "custom")
        yield f"tool {number}", tool.get("name"), tool.get("input_schema", {}) if own else None


RULES = Rules("messages", AnthropicState(), step, end, rest)
