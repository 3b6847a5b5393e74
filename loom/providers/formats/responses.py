"""Responses: a flat list of items; reasoning, messages and calls of a reply stand side by side.

Shapes: https://platform.openai.com/docs/api-reference/responses. Requests are made with
`store=False`, so that nothing rests with the provider: reasoning comes back only by its
`encrypted_content`. Rules: every `function_call` has one `function_call_output` of its `call_id`; a
reasoning item is followed by an item of its reply; an item that goes back under its id needs the
reasoning it was given with. Ids travel in envelopes, so they leave when the reasoning leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.blocks import (
    NO_TEXT,
    WireIds,
    arguments_text,
    derived_id,
    nonblank_texts,
    result_content,
    single_result,
    spoken_message,
)
from loom.providers.formats.envelope import (
    DECIDED,
    OpenedBlock,
    envelope_of_fields,
    fields_without,
    opened_blocks,
    with_envelope_fields,
)
from loom.providers.formats.format import Encoder, Format, RequestOptions, unknown_reply_error
from loom.providers.formats.stream import responses as stream
from loom.providers.formats.wire import (
    Wire,
    compact_json,
    content_parts,
    model_and_prompt_size,
    plain_reply,
    without_nulls,
)
from loom.providers.render.message import CallBlock, Message, TextBlock
from loom.providers.schema import SHAPES

Part = Speech | Reasoning | ToolCall
NAME = "responses"
ACCEPTED = "a Response with an `output` list"

# The types of calls Loom holds: the name of their arguments, and the type of their results.
CALLS = {
    "function_call": ("arguments", "function_call_output"),
    "custom_tool_call": ("input", "custom_tool_call_output"),
}

# Where an envelope has the fields of a message's part.
PART = "part"

# Item types that only Loom makes: an opaque one of these is not sent.
_OURS = frozenset({"message", *CALLS, *(result for _, result in CALLS.values())})

# Written in replies, refused in requests: by the service, and by the library that parses.
_READ_ONLY = frozenset({"created_by", "parsed", "parsed_arguments"})

# Members that requests want even when they are null, and members whose nulls are the host's own.
_KEPT = frozenset({"code", "keys", "outputs", "param", "parameters", "result", "strict"})
_WHOLE = frozenset({"arguments", "attributes", "input", "parameters"})


def accepts(value: object) -> bool:
    """Tell whether a value of plain dicts is a reply of OpenAI's Responses API."""
    if not isinstance(value, dict):
        return False
    output = value.get("output")
    if value.get("object") == "response":
        return isinstance(output, list | None)
    items = output if isinstance(output, list) else []
    return bool(items) and all(isinstance(item, dict) and "type" in item for item in items)


def decode(reply: object) -> Reply:
    """Read a Response, dict or object, into a Reply. Reasoning that can be sent back and items of
    unknown types are kept as opaque JSON. Raises BadInput."""
    value = plain_reply(reply)
    if not accepts(value):
        raise unknown_reply_error(reply, ACCEPTED)
    parts = tuple(_reply_parts(value.get("output") or [], str(value.get("id") or "")))
    return Reply(parts, **model_and_prompt_size(value, "usage", "input_tokens"))


def read_listed_items(items: list[Any]) -> Reply:
    """Read the items of one reply in a host's list into a Reply. Unknown items are kept."""
    return Reply(tuple(_reply_parts(items, "", listed=True)))


def _reply_parts(items: list[Any], seed: str, *, listed: bool = False) -> Iterator[Part]:
    """Yield the parts of a reply from its items. Further fields of a text or a call come before it,
    in an envelope (a Reasoning part without text). `seed` is hashed for the id of a call without an
    id. With `listed`, items of unknown types are kept unchanged."""
    given = ""  # the id of the reasoning the items that follow depend on
    lost = False  # whether some reasoning cannot be sent back
    for number, given_item in enumerate(items):
        item = _sendable_item(given_item)
        match item.get("type"):
            case "reasoning":
                if item.get("encrypted_content"):
                    given = str(item.get("id") or "")
                    yield Reasoning(_reasoning_text(item), compact_json(item), NAME)
                else:
                    lost = True
                    yield Reasoning(_reasoning_text(item))
            case "message":
                yield from _message_parts(item if not lost else fields_without(item, {"id"}), given)
            case kind if kind in CALLS:
                yield from _call_parts(item, given, f"{seed}\n{number}", lost=lost)
            case _:
                yield Reasoning("", compact_json(given_item if listed else item), NAME)


def _sendable_item(item: object) -> Wire:
    """Return an item in the form that requests accept: without nulls and read-only members."""
    if not isinstance(item, dict) or not item.get("type"):
        raise unknown_reply_error(item, "output items with a `type`")
    sent = without_nulls(item, _KEPT, _WHOLE)
    delayed = sent.pop("async_", None)  # Python's libraries cannot call a field `async`
    if delayed is not None:
        sent["async"] = delayed
    return {key: value for key, value in sent.items() if key not in _READ_ONLY}


def _reasoning_text(item: Wire) -> str:
    told = [*(item.get("summary") or []), *(item.get("content") or [])]
    said = [str(part.get("text") or "") for part in told if isinstance(part, dict)]
    return "\n\n".join(text for text in said if text)


def _message_parts(item: Wire, given: str) -> Iterator[Speech | Reasoning]:
    """Yield the texts of a message item. Before each text comes an envelope (a Reasoning part) with
    the message's fields. `given` is the id of the reasoning item that these fields depend on."""
    fields = fields_without(item, DECIDED)
    if fields.get("status") == "completed":
        del fields["status"]  # the encoder's default
    for part in content_parts(item.get("content")):
        text = str(part.get("text") or part.get("refusal") or "")
        if text.strip():
            carried = _fields_with_part(fields, part) if "id" in fields else _phase_fields(fields)
            yield from envelope_of_fields(carried, NAME, given if "id" in fields else "")
        if text:
            yield Speech(text)


def _phase_fields(fields: Wire) -> Wire:
    """Return the field `phase` alone, as a dict."""
    # All other fields need the message's id.
    return {key: value for key, value in fields.items() if key == "phase"}


def _fields_with_part(fields: Wire, part: Wire) -> Wire:
    """Return the fields of a message, with the further fields of its content part `part` under
    "part"."""
    more = {key: value for key, value in part.items() if key not in DECIDED | _READ_ONLY}
    if more.get("annotations") == []:
        del more["annotations"]
    if part.get("type") == "refusal":
        more["type"] = "refusal"
    return {**fields, PART: more} if more else fields


def _call_parts(item: Wire, given: str, seed: str, *, lost: bool) -> Iterator[Reasoning | ToolCall]:
    """Yield an envelope (a Reasoning part) with an item's further fields, then the call in the
    item. `given` is the id of the reasoning item that the fields depend on. With `lost` (some
    reasoning cannot be sent back) the item's id is left out."""
    key, _ = CALLS[item["type"]]
    name, arguments = item.get("name"), item.get(key)
    if not name:
        raise unknown_reply_error(item, "calls with a `name`")
    text = arguments if isinstance(arguments, str) else compact_json(arguments or {})
    fields = fields_without(item, DECIDED | {"id"} if lost else DECIDED)
    if key == "input":
        fields["type"] = item["type"]
    call_id = str(item.get("call_id") or derived_id(f"{seed}\n{name}\n{text}"))
    yield from envelope_of_fields(fields, NAME, given if "id" in fields else "")
    yield ToolCall(call_id, str(name), text)


class ResponsesEncoder(Encoder):
    """An encoder for the items of the Responses format. Items are only ever appended."""

    key = "input"

    def __init__(self) -> None:
        super().__init__()
        self._ids = WireIds()
        self._outputs: dict[str, str] = {}  # the type of the result a call waits for, by its id
        self._items: set[str] = set()  # the ids of items, which may not come twice

    def lead(self) -> Wire:
        """Return {"instructions": text}."""
        return {"instructions": "\n\n".join(self.system)}

    def add(self, message: Message) -> None:
        """Append the items made from one message."""
        if message.role == "system" and not self.messages:
            self.system.extend(nonblank_texts(message))
        elif message.role == "assistant":
            self.messages.extend(self._assistant_items(message))
        elif message.role == "tool":
            block = single_result(message)
            id = self._ids.result(block.call_id)
            kind = self._outputs.get(id, "function_call_output")
            output = result_content(block)
            self.messages.append({"type": kind, "call_id": id, "output": output})
        else:
            self.messages.append(spoken_message(message, "input_text"))

    def _assistant_items(self, message: Message) -> list[Wire]:
        items: list[Wire] = []
        sent: set[str] = set()  # ids of this reply's items
        for block in opened_blocks(message, NAME):
            fields = (
                block.fields
                if self._may_send_id(block, sent)
                else fields_without(block.fields, {"id"})
            )
            if isinstance(block.block, CallBlock):
                # An envelope of a message, whose text is gone, names no call.
                told = PART in fields or str(fields.get("id", "")).startswith("msg")
                items.append(self._call_item(block.block, {} if told else fields))
            elif block.block is not None:
                _append_text(items, block.block, fields)
            elif "id" in fields or "id" not in block.fields:
                kind = block.fields.get("type")
                items += [block.fields] * (isinstance(kind, str) and kind not in _OURS)
        while items and items[-1].get("type") == "reasoning":
            items.pop()
        return items or [{"role": "assistant", "content": NO_TEXT}]

    def _may_send_id(self, block: OpenedBlock, sent: set[str]) -> bool:
        """Tell whether a block may be sent with its id, and add a permitted id to `sent`, the ids
        of this reply's items."""
        id = block.fields.get("id")
        if not isinstance(id, str) or (block.after and block.after not in sent):
            return False
        if id in self._items and not (id in sent and isinstance(block.block, TextBlock)):
            return False
        self._items.add(id)
        sent.add(id)
        return True

    def _call_item(self, block: CallBlock, fields: Wire) -> Wire:
        kind = fields.get("type")
        if not isinstance(kind, str) or kind not in CALLS:
            kind = "function_call"
        key, result = CALLS[kind]
        call_id = self._ids.call(block.id)
        self._outputs[call_id] = result
        given = arguments_text(block.arguments) if key == "arguments" else block.arguments
        own = {"type": kind, "call_id": call_id, "name": block.name, key: given}
        return with_envelope_fields(own, fields, {PART})


def _append_text(items: list[Wire], block: TextBlock, fields: Wire) -> None:
    """Append a text to `items`: as a part of the message item whose id is in `fields`, or as a new
    message if `fields` has no id."""
    if not isinstance(fields.get("id"), str):
        items.append({"role": "assistant", "content": block.text, **_phase_fields(fields)})
        return
    more = fields.get(PART)
    more = more if isinstance(more, dict) else {}
    annotated = {"text": block.text, "annotations": more.get("annotations", [])}
    part: Wire = {"type": "output_text", **annotated}
    if more.get("type") == "refusal":
        part = {"type": "refusal", "refusal": block.text}
    part = with_envelope_fields(part, more)
    if items and items[-1].get("type") == "message" and items[-1].get("id") == fields["id"]:
        items[-1]["content"].append(part)
        return
    own = {"type": "message", "role": "assistant", "content": [part]}
    items.append(with_envelope_fields(own, {"status": "completed", **fields}, {PART}))


def _add_arguments(request: Wire, options: RequestOptions) -> None:
    """Add the reply's token limit, the cache key and `store` = False to a request, in place, and
    ask for encrypted reasoning if the model has it."""
    request.update(max_output_tokens=options.max_tokens, store=False)
    if options.model.rsplit("/", 1)[-1].lower().startswith(options.provider.reasons or ("\0",)):
        request["include"] = ["reasoning.encrypted_content"]
    if options.key:
        request["prompt_cache_key"] = options.key


FORMAT = Format(
    name=NAME, accepted=ACCEPTED, streamed="an event of a Responses stream",
    accepts=accepts, decode=decode, begins=stream.begins, collector=stream.ResponsesCollector,
    encoder=ResponsesEncoder, tool=SHAPES[NAME], arguments=_add_arguments,
)  # fmt: skip
