"""The messages of Pydantic AI in Loom's words, and back.

The words between are those of the format "anthropic", whichever model is asked: it keeps the parts
of a reply in their order, and a result that failed is told from one that did not. What only one
provider reads of a part (signatures, item ids) travels beside it, under MARK.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    ToolReturnPart,
    UserPromptPart,
)

from loom.adapters.pydantic_inputs import Wire, file_of, framed, read_part

FORMAT = "anthropic"
MARK = "pydantic_ai"
ENDS = {"length": "max_tokens"}
# Of a reply: who can read the data its parts carry.
ORIGIN = ("model_name", "provider_name", "provider_url", "canonical_system")
# Of a part, what its block says already; and what says nothing without the rest.
SAID = frozenset({"part_kind", "content", "tool_name", "args", "tool_call_id", "provider_name"})
PARTS: TypeAdapter[Any] = TypeAdapter(ModelResponsePart)


def listed(messages: Iterable[ModelMessage], seen: dict[str, Any]) -> list[Wire]:
    """Messages as `ctx.sync` takes them; `seen` gets what `given_back` needs beside.

    A part of a request is a message of its own: where requests begin and end says nothing.
    """
    wires: list[Wire] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            wires.append({"role": "assistant", "content": [*_blocks(message)]})
        else:
            wires += [wire for part in message.parts for wire in read_part(part, seen)]
    return wires


def reply_of(response: ModelResponse) -> Wire:
    """A model's reply, as `ctx.reply` takes it."""
    return {
        "type": "message",
        "role": "assistant",
        "model": response.model_name or "",
        "content": [*_blocks(response)],
        "stop_reason": ENDS.get(response.finish_reason or "", "end_turn"),
        "usage": {"input_tokens": response.usage.input_tokens},
    }


def given_back(request: Mapping[str, Any], seen: Mapping[str, Any]) -> list[ModelMessage]:
    """The messages of a request, as Pydantic AI's models take them."""
    system = "\n\n".join(block["text"] for block in request.get("system", ()))
    parts: list[ModelRequestPart] = [SystemPromptPart(system)] if system else []
    made: list[ModelMessage] = []
    names: dict[str, str] = {}
    for wire in request["messages"]:
        if wire["role"] == "assistant":
            made.append(ModelRequest(parts=parts))
            made.append(_response(wire["content"], names))
            parts = []
        else:
            parts += _request(wire["content"], names, seen)
    return [*made, ModelRequest(parts=parts)]


def _blocks(response: ModelResponse) -> Iterator[Wire]:
    origin = {key: value for key in ORIGIN if (value := getattr(response, key))}
    for part in response.parts:
        kind = part.part_kind
        if kind == "speech":
            yield {"type": "text", "text": part.transcript or ""}
            continue
        value = PARTS.dump_python(part, mode="json", exclude_none=True)
        further = {MARK: {**value, "origin": origin}} if value.keys() - SAID else {}
        if kind == "text":
            further.get(MARK, {}).pop("content", None)
            yield {"type": "text", "text": part.content, **further}
        elif kind == "tool-call":
            further.get(MARK, {}).pop("args", None)
            arguments = part.args or {}
            call = {"id": part.tool_call_id, "name": part.tool_name, "input": arguments}
            yield {"type": "tool_use", **call, **further}
        else:
            said = {"thinking": part.content} if kind == "thinking" else {}
            yield {"type": MARK, **said, MARK: {**value, "origin": origin}}


def _response(blocks: Sequence[Wire], names: dict[str, str]) -> ModelResponse:
    parts: list[Any] = []
    origin: dict[str, Any] = {}
    for block in blocks:
        value = dict(block.get(MARK) or {})
        origin = origin or value.pop("origin", {})
        value.pop("origin", None)
        if block["type"] == "text":
            value.update(part_kind="text", content=block["text"])
        elif block["type"] == "tool_use":
            names[block["id"]] = name = block["name"]
            call = {"tool_name": name, "args": block["input"], "tool_call_id": block["id"]}
            value.update(part_kind="tool-call", **call)
        parts.append(PARTS.validate_python(value))
    return ModelResponse(parts=parts, **origin)


def _request(
    blocks: Sequence[Wire], names: Mapping[str, str], seen: Mapping[str, Any]
) -> Iterator[ModelRequestPart]:
    """Yield the parts: a text is a message of the user, with the files that follow it."""
    said: list[Any] = []
    for block in blocks:
        if block["type"] == "tool_result":
            id = block["tool_use_id"]
            outcome = "failed" if block.get("is_error") else "success"
            yield ToolReturnPart(names.get(id, ""), block["content"], id, outcome=outcome)
        elif block["type"] == "text":
            if said:
                yield _prompt(said, seen)
            said = [block["text"]]
        else:
            said.append(file_of(block, seen))
    if said:
        yield _prompt(said, seen)


def _prompt(said: list[Any], seen: Mapping[str, Any]) -> ModelRequestPart:
    if len(said) > 1 or not isinstance(said[0], str):
        return UserPromptPart(said)
    known: ModelRequestPart | None = seen.get(framed(said[0]))
    return known or UserPromptPart(said[0])
