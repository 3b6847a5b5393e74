"""Converts the messages of Pydantic AI for Loom and back.

Loom gets them in the format "anthropic", for any model, because it keeps the order of a reply's
parts and marks failed results. Data that only one provider reads, such as signatures, is put under
the key MARK of a block. Parts that only record something for the framework are left out. A system
prompt for a single request is left to the framework."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    ERROR_OUTCOMES,
    BinaryContent,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextContent,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)

from loom.providers.formats.wire import Wire

Seen = dict[str, Any]  # files, and the framework's own words, by what their blocks say
FRAMED = "framed: "  # no file is known by what begins so
DOCUMENTS = ("application/pdf", "text/")  # what a block of type "document" holds
FORMAT = "anthropic"
MARK = "pydantic_ai"
ENDS = {"length": "max_tokens"}
# Of a reply: who can read the data its parts carry.
ORIGIN = ("model_name", "provider_name", "provider_url", "canonical_system")
# Of a part, what its block says already; and what says nothing without the rest.
SAID = frozenset({"part_kind", "content", "tool_name", "args", "tool_call_id", "provider_name"})
PARTS: TypeAdapter[Any] = TypeAdapter(ModelResponsePart)


def messages_to_wire(messages: Iterable[ModelMessage], seen: Seen) -> list[Wire]:
    """Return a message for `ctx.sync` for each part of the given messages. The framework's own
    objects are stored in `seen` for `wire_to_messages`."""
    wires: list[Wire | None] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            wires.append({"role": "assistant", "content": [*_reply_blocks(message)]})
        else:
            wires += (_part_to_wire(part, seen) for part in message.parts)
    return [wire for wire in wires if wire is not None]


def is_for_one_request(part: Any) -> bool:
    """Return True if a part is a system prompt for one request only, which makes no entry."""
    return bool(part.part_kind == "system-prompt" and part.scope == "request")


def _part_to_wire(part: Any, seen: Seen) -> Wire | None:
    """Return a request's part as a message, None if the model does not see the part."""
    match part.part_kind:
        case "system-prompt":
            if not is_for_one_request(part):
                return {"role": "system", "content": part.content}
        case "instruction-delta":
            return {"role": "system", "content": part.render()}
        case "user-prompt":
            given = [part.content] if isinstance(part.content, str) else part.content
            return {"role": "user", "content": [*_items_to_wire(given, seen)]}
        case "speech":
            return {"role": "user", "content": part.transcript or ""}
        case "compaction":
            return {"role": "user", "content": part.content or ""}
        case "retry-feedback" | "retry-prompt":
            said = part.model_response()
            if part.part_kind == "retry-prompt" and part.tool_name:
                return _result_to_wire(part.tool_call_id, said, error=True)
            seen[FRAMED + said] = part  # it has a frame of the framework's, which is no one else's
            return {"role": "user", "content": said}
        case "tool-return":
            items = part.content_items(mode="str", wrap_if_error=False)
            texts = all(isinstance(item, str) for item in items)
            content = "\n".join(items) if texts else [*_items_to_wire(items, seen)]
            return _result_to_wire(part.tool_call_id, content, error=part.outcome in ERROR_OUTCOMES)
    return None


def _result_to_wire(id: str, content: Any, *, error: bool) -> Wire:
    block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": error}
    return {"role": "user", "content": [block]}


def _items_to_wire(items: Iterable[Any], seen: Seen) -> Iterator[Wire]:
    """Yield a block for each text and file of a content. Files are stored in `seen`."""
    for item in items:
        if isinstance(item, str | TextContent):
            yield {"type": "text", "text": item if isinstance(item, str) else item.content}
        elif isinstance(item, FileUrl | BinaryContent | UploadedFile):
            key, block = _file_to_wire(item)
            seen[key] = item
            yield block


def _file_to_wire(item: Any) -> tuple[str, Wire]:
    """Return (the file's URL, id or base64 data, the file's block)."""
    type = item.media_type
    kind = "image" if type.startswith("image/") else "document"
    if isinstance(item, UploadedFile):
        source = {"type": "file", "file_id": item.file_id}
        return item.file_id, {"type": kind, "source": source}
    held = kind == "image" or type.startswith(DOCUMENTS)
    if isinstance(item, FileUrl):
        source = {"type": "url", "url": item.url}
        other = {"fileData": {"fileUri": item.url, "mimeType": type}}
        return item.url, {"type": kind, "source": source} if held else other
    source = {"type": "base64", "media_type": type, "data": item.base64}
    other = {"inlineData": {"mimeType": type, "data": item.base64}}
    return item.base64, {"type": kind, "source": source} if held else other


def response_to_wire(response: ModelResponse) -> Wire:
    """Return a model's reply as a dict for `ctx.reply`."""
    return {
        "type": "message",
        "role": "assistant",
        "model": response.model_name or "",
        "content": [*_reply_blocks(response)],
        "stop_reason": ENDS.get(response.finish_reason or "", "end_turn"),
        "usage": {"input_tokens": response.usage.input_tokens},
    }


def wire_to_messages(request: Mapping[str, Any], seen: Mapping[str, Any]) -> list[ModelMessage]:
    """Return a request's messages in Pydantic AI's types. The framework's own objects in `seen` are
    used again for equal content."""
    system = "\n\n".join(block["text"] for block in request.get("system", ()))
    parts: list[ModelRequestPart] = [SystemPromptPart(system)] if system else []
    made: list[ModelMessage] = []
    names: dict[str, str] = {}
    for wire in request["messages"]:
        if wire["role"] == "assistant":
            made.append(ModelRequest(parts=parts))
            made.append(_blocks_to_response(wire["content"], names))
            parts = []
        else:
            parts += _blocks_to_parts(wire["content"], names, seen)
    return [*made, ModelRequest(parts=parts)]


def _reply_blocks(response: ModelResponse) -> Iterator[Wire]:
    """Yield the blocks of a model's reply. Data that only one provider reads is put under MARK."""
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


def _blocks_to_response(blocks: Sequence[Wire], names: dict[str, str]) -> ModelResponse:
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


def _blocks_to_parts(
    blocks: Sequence[Wire], names: Mapping[str, str], seen: Mapping[str, Any]
) -> Iterator[ModelRequestPart]:
    """Yield the parts of a request: each tool result, and each text with the files after it.
    `names` maps call ids to tool names."""
    said: list[Any] = []
    for block in blocks:
        if block["type"] == "tool_result":
            id = block["tool_use_id"]
            outcome = "failed" if block.get("is_error") else "success"
            yield ToolReturnPart(names.get(id, ""), block["content"], id, outcome=outcome)
        elif block["type"] == "text":
            if said:
                yield _user_prompt(said, seen)
            said = [block["text"]]
        else:
            said.append(_block_to_file(block, seen))
    if said:
        yield _user_prompt(said, seen)


def _user_prompt(said: list[Any], seen: Mapping[str, Any]) -> ModelRequestPart:
    """Return a user's texts and files as one part: the framework's own part from `seen`, or a new
    part."""
    if len(said) > 1 or not isinstance(said[0], str):
        return UserPromptPart(said)
    known: ModelRequestPart | None = seen.get(FRAMED + said[0])
    return known or UserPromptPart(said[0])


def _block_to_file(block: Wire, seen: Mapping[str, Any]) -> Any:
    """Return the file in a block: the framework's own object from `seen`, or a new object."""
    source = block["source"]
    known = seen.get(source.get("data") or source.get("url") or source.get("file_id") or "")
    if known is not None:
        return known
    if source["type"] == "url":
        return (ImageUrl if block["type"] == "image" else DocumentUrl)(url=source["url"])
    if source["type"] == "file":
        return f"[file {source['file_id']}]"
    text = source["type"] == "text"
    data = source["data"].encode() if text else b64decode(source["data"])
    return BinaryContent(data=data, media_type=source.get("media_type", "text/plain"))
