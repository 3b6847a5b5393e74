"""Gemini: contents of parts, said by the user or the model.

Shapes: https://ai.google.dev/api/generate-content, with keys in snake case as `google.genai.types`
has them, and bytes as bytes. Opaque JSON holds bytes as base64.

Function responses directly follow their calls, as many and in the same order, in a content that
holds nothing else; texts after them stand in a user content of their own. Gemini 3 on Vertex AI
refuses a content that mixes the two ("Requests ending with a model turn are not supported") and
takes two user contents in a row, as the Gemini API does (anomalyco/opencode#43479,
Prism-Shadow/agenthub#189, deepnoodle-ai/dive#287). All other neighbours of one role merge.

Thought signatures come back on the part they came on. Gemini 3 refuses a step of the current turn
whose first call has no signature; the documented stand-in for a signature that was never given or
is gone is `skip_thought_signature_validator`, which the Gemini API and Vertex AI both take
(https://ai.google.dev/gemini-api/docs/thought-signatures#faqs and
https://cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures). The first call of every
step gets it where it has no signature, so that no message changes when a turn ends: signatures of
earlier turns are not checked, and models before Gemini 3 check none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.blocks import (
    EMPTY_MESSAGE,
    NO_OUTPUT,
    NO_TEXT,
    RESUMES,
    arguments_object,
    derived_id,
    is_derived_id,
    media_parts,
    nonblank_texts,
    result_parts,
    single_result,
)
from loom.providers.formats.envelope import (
    envelope_of_fields,
    fields_without,
    opened_blocks,
    with_envelope_fields,
)
from loom.providers.formats.format import Encoder, Format, RequestOptions, unknown_reply_error
from loom.providers.formats.stream import gemini as stream
from loom.providers.formats.wire import (
    FOREIGN,
    Wire,
    compact_json,
    model_and_prompt_size,
    plain_reply,
    snake_names,
    without_nulls,
)
from loom.providers.media.payload import decode_base64
from loom.providers.render.message import CallBlock, Message
from loom.providers.schema import SHAPES

NAME = "gemini"
ACCEPTED = "a GenerateContentResponse, or a content of role model"
PLACEHOLDER = b"skip_thought_signature_validator"
SIGNATURE = "thought_signature"

# What Loom holds of a part; an envelope never carries or overwrites it.
OWN = frozenset({"text", "thought", "function_call", "function_response"})

# Parts that only Loom makes: an opaque one with these is not sent.
_DATA = frozenset({"function_call", "function_response"})

_BYTES = frozenset({SIGNATURE, "data"})


def accepts(value: object) -> bool:
    """Tell whether a value of plain dicts is a Gemini response, or the model's content in one."""
    if not isinstance(value, dict):
        return False
    if not {"candidates", "prompt_feedback", "promptFeedback"}.isdisjoint(value):
        return isinstance(value.get("candidates"), list | None)
    return value.get("role") == "model" and isinstance(value.get("parts"), list | None)


def decode(reply: object) -> Reply:
    """Read a Gemini response (its first candidate) or a model's content, dict or object, into a
    Reply. A blocked response, or one without content, gives an empty Reply. Parts that are neither
    texts nor calls are kept as opaque JSON. Raises BadInput."""
    value = plain_reply(reply)
    if not accepts(value):
        raise unknown_reply_error(reply, ACCEPTED)
    value = without_nulls(snake_names(value), whole=FOREIGN)
    parts = tuple(
        _reply_parts(_first_content(value).get("parts") or [], str(value.get("response_id") or ""))
    )
    told = model_and_prompt_size(
        value, "usage_metadata", "prompt_token_count", model="model_version"
    )
    return Reply(parts, **told)


def _first_content(value: Wire) -> Wire:
    """Return the content of a response's first candidate, or `value` itself if it is a content."""
    if "parts" in value:
        return value
    first = next(iter(value.get("candidates") or [{}]))
    content = first.get("content", {}) if isinstance(first, dict) else None
    if not isinstance(content, dict) or not isinstance(content.get("parts", []), list):
        raise unknown_reply_error(value, ACCEPTED)
    return content


def _reply_parts(found: list[Any], seed: str) -> Iterator[Speech | Reasoning | ToolCall]:
    """Yield the parts of a reply from the parts of a content. `seed` is hashed for the id of a call
    that has no id."""
    for number, part in enumerate(found):
        if not isinstance(part, dict):
            raise unknown_reply_error(part, "a content whose parts are objects")
        text = part.get("text")
        further = fields_without(part, OWN)
        if "function_call" in part:
            yield from envelope_of_fields(further, NAME)
            yield _tool_call(part["function_call"], f"{seed}\n{number}")
        elif part.get("thought"):
            yield Reasoning(str(text or ""), *((compact_json(part), NAME) if further else ()))
        elif isinstance(text, str) and (text.strip() or not further):
            yield from envelope_of_fields(further, NAME)
            if text:
                yield Speech(text)
        elif part:
            yield Reasoning("", compact_json(part), NAME)


def _tool_call(call: Any, seed: str) -> ToolCall:
    name = call.get("name") if isinstance(call, dict) else None
    if not name:
        raise unknown_reply_error(call, "a `function_call` with a `name`")
    arguments = compact_json(call.get("args") or {})
    call_id = str(call.get("id") or derived_id(f"{seed}\n{name}\n{arguments}"))
    return ToolCall(call_id, str(name), arguments)


class GeminiEncoder(Encoder):
    """An encoder for Gemini's contents. Neighbouring messages of one role become one content,
    except that function responses have contents of their own."""

    key = "contents"

    def lead(self) -> Wire:
        """Return {"config": …} with the instructions as `system_instruction`."""
        return {"config": {"system_instruction": "\n\n".join(self.system)}}

    def add(self, message: Message) -> None:
        """Append one message as a new content, or add its parts to the last content."""
        if message.role == "system" and not self.messages:
            self.system.extend(nonblank_texts(message))
        elif message.role == "assistant":
            self._append_parts("model", _model_parts(message))
        elif message.role == "tool":
            self._append_parts("user", [_function_response(message)])
        else:
            said = [{"text": text} for text in nonblank_texts(message)]
            said += map(_with_decoded_bytes, media_parts(message))
            self._append_parts("user", said or [{"text": EMPTY_MESSAGE}])

    def _append_parts(self, role: str, parts: list[Wire]) -> None:
        if not self.messages and role == "model":
            self.messages.append({"role": "user", "parts": [{"text": RESUMES}]})
        last = self.messages[-1] if self.messages else None
        if (
            last
            and last["role"] == role
            and _are_function_responses(last["parts"]) == _are_function_responses(parts)
        ):
            self.messages[-1] = {"role": role, "parts": last["parts"] + parts}
        else:
            self.messages.append({"role": role, "parts": parts})


def _are_function_responses(parts: list[Wire]) -> bool:
    """Tell whether a content consists of function responses."""
    return "function_response" in parts[0]


def _model_parts(message: Message) -> list[Wire]:
    """Return an assistant message as the parts of a model's content."""
    parts: list[Wire] = []
    called = said = False
    for block, fields, _ in opened_blocks(message, NAME):
        if block is None:
            if not _DATA.isdisjoint(fields):
                continue
            part = _with_decoded_bytes(fields)
            said = said or not (fields.get("thought") or fields.get("text") == "")
        elif isinstance(block, CallBlock):
            call = {"name": block.name, "args": arguments_object(block.arguments)}
            call = {"function_call": {**_id_field(block.id), **call}}
            part = {**call, **_with_decoded_bytes(with_envelope_fields({}, fields, OWN))}
            if not called and SIGNATURE not in part:
                part[SIGNATURE] = PLACEHOLDER
            called = said = True
        else:
            part = {
                "text": block.text,
                **_with_decoded_bytes(with_envelope_fields({}, fields, OWN)),
            }
            said = True
        parts.append(part)
    return parts if said else [*parts, {"text": NO_TEXT}]


def _function_response(message: Message) -> Wire:
    """Return a tool message, which holds one result, as a function response part."""
    block = single_result(message)
    parts = result_parts(block)
    further = [_with_decoded_bytes(part) for part in parts if part.keys() != {"text"}]
    told = "\n".join(part["text"] for part in parts if part.keys() == {"text"})
    text = told if parts else block.text
    said = {"error" if block.error else "output": text if text.strip() else NO_OUTPUT}
    answer = {"name": block.name, "response": said, **({"parts": further} if further else {})}
    return {"function_response": {**_id_field(block.call_id), **answer}}


def _id_field(call_id: str) -> Wire:
    """Return {"id": call_id}; {} for an id that Loom made, which Gemini does not know."""
    return {} if not call_id or is_derived_id(call_id) else {"id": call_id}


def _with_decoded_bytes(part: Wire) -> Wire:
    """Return a part with base64 signatures and data decoded to bytes, without invalid base64."""
    sent: Wire = {}
    for key, value in part.items():
        if key in _BYTES and isinstance(value, str):
            data = decode_base64(value)
            if data is not None:
                sent[key] = data
        else:
            whole = key in FOREIGN or not isinstance(value, dict)
            sent[key] = value if whole else _with_decoded_bytes(value)
    return sent


def _add_arguments(request: Wire, options: RequestOptions) -> None:
    """Add the reply's token limit to the request's `config`, in place, move the tools to `config`,
    and switch the library's automatic function calling off."""
    config = request.setdefault("config", {})
    config["max_output_tokens"] = options.max_tokens
    config["automatic_function_calling"] = {"disable": True}  # Loom and the host answer calls
    if "tools" in request:
        config["tools"] = [{"function_declarations": request.pop("tools")}]


FORMAT = Format(
    name=NAME, accepted=ACCEPTED, streamed="a GenerateContentResponse",
    accepts=accepts, decode=decode, begins=stream.begins, collector=stream.GeminiCollector,
    encoder=GeminiEncoder, tool=SHAPES[NAME], arguments=_add_arguments,
)  # fmt: skip
