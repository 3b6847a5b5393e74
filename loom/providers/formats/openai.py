"""The format of Chat Completions: assistant messages with `tool_calls`, results of role `tool`.

Shapes: https://platform.openai.com/docs/api-reference/chat. Servers of this format add fields of
their own: `reasoning_content` and `reasoning` are text; `reasoning_details` (OpenRouter) and a
call's further fields, such as `extra_content` (Google), must be sent back unchanged."""

from __future__ import annotations

from collections.abc import Iterator

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats.blocks import (
    NO_TEXT,
    arguments_text,
    derived_id,
    lawful_id,
    result_content,
    single_result,
    spoken_message,
)
from loom.providers.formats.envelope import (
    envelope_of_fields,
    fields_without,
    is_reasoning_block,
    opened_blocks,
    with_envelope_fields,
)
from loom.providers.formats.format import Encoder, Format, RequestOptions, unknown_reply_error
from loom.providers.formats.stream import openai as stream
from loom.providers.formats.wire import (
    Wire,
    compact_json,
    content_parts,
    is_text_part,
    model_and_prompt_size,
    part_text,
    plain_reply,
    without_cache_marks,
)
from loom.providers.render.message import CallBlock, Message
from loom.providers.schema import SHAPES
from loom.providers.table import Provider

NAME = "openai"
ACCEPTED = "a Chat Completion with at least one choice, or an assistant message"
REFUSAL = "refusal"
CUSTOM = "custom"  # the type of a call whose input is any text
# Members of a message that are reasoning: its text, and what servers make to be given it back
# (OpenRouter; LiteLLM's of Claude; Google's of a reply without calls).
TEXTS = ("reasoning_content", "reasoning")
RETURNED = ("reasoning_details", "thinking_blocks", "extra_content")


def accepts(value: object) -> bool:
    """Tell whether a value of plain dicts is a Chat Completion, or its assistant message."""
    if not isinstance(value, dict):
        return False
    return "choices" in value or value.get("role") == "assistant" or "tool_calls" in value


def decode(reply: object) -> Reply:
    """Read a Chat Completion (its first choice) or an assistant message, dict or object, into a
    Reply. Texts and arguments are kept verbatim. Raises BadInput."""
    value = plain_reply(reply)
    if not accepts(value):
        raise unknown_reply_error(reply, ACCEPTED)
    message = _reply_message(value, reply)
    parts = (*_reasoning_parts(message), *_speech_parts(message), *_call_parts(message, value))
    return Reply(parts, **model_and_prompt_size(value, "usage", "prompt_tokens"))


def _reply_message(value: Wire, reply: object) -> Wire:
    if "choices" not in value:
        return value
    choices = value["choices"]
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise unknown_reply_error(reply, ACCEPTED)
    return message


def read_listed_message(message: Wire) -> Reply:
    """Read an assistant message of a host's list into a Reply that keeps all reasoning members to
    be sent back."""
    further = {
        name: value
        for name, value in message.items()
        if value is not None and (name == "audio" or _is_reasoning_member(name))
    }
    text = _reasoning_text(message)
    first = (Reasoning(text, compact_json(further), NAME),) if further else ()
    return Reply((*first, *_speech_parts(message), *_call_parts(message, message)))


def _is_reasoning_member(name: str) -> bool:
    """Tell whether a message's member is reasoning, judged by its name."""
    return name not in _OWN and is_reasoning_block({name: ""})


def _reasoning_text(message: Wire) -> str:
    return next((text for name in TEXTS if isinstance(text := message.get(name), str) and text), "")


def _reasoning_parts(message: Wire) -> Iterator[Reasoning]:
    """Yield the reasoning of a message as one part, with the reasoning members as opaque JSON."""
    text = _reasoning_text(message)
    made = {name: message[name] for name in RETURNED if message.get(name)}
    plainly = {name: message[name] for name in TEXTS if message.get(name) == text}
    if made or text:
        yield Reasoning(text, compact_json(made or plainly), NAME)


def _speech_parts(message: Wire) -> Iterator[Reasoning | Speech]:
    """Yield the texts of a message. Before a refusal comes a Reasoning part that marks it. Content
    that is no text becomes a Reasoning part with the content as opaque JSON."""
    for part in content_parts(message.get("content")):
        if not is_text_part(part):
            yield Reasoning("", compact_json({"content": [without_cache_marks(part)]}), NAME)
            continue
        text = part_text(part)
        if text.strip() and part.get("type") == REFUSAL:
            yield from envelope_of_fields({"type": REFUSAL}, NAME)
        if text:
            yield Speech(text)
    refusal = message.get(REFUSAL)
    if isinstance(refusal, str) and refusal.strip():
        yield from envelope_of_fields({"type": REFUSAL}, NAME)
        yield Speech(refusal)


def _call_parts(message: Wire, reply: Wire) -> Iterator[Reasoning | ToolCall]:
    """Yield the calls of a message. A call's fields beyond id, name and arguments come before the
    call, in a Reasoning part without text (an envelope)."""
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise unknown_reply_error(message, "`tool_calls` as a list of calls")
    old = message.get("function_call")
    if old:
        calls = [*calls, {"function": old}]
    for number, call in enumerate(calls):
        body = call.get("function") or call.get("custom")
        if not isinstance(body, dict) or not body.get("name"):
            raise unknown_reply_error(call, "calls with a `function` that has a `name`")
        arguments = body.get("arguments", body.get("input"))
        if arguments is None:
            arguments = {}
        text = arguments if isinstance(arguments, str) else compact_json(arguments)
        seed = f"{reply.get('id') or ''}\n{number}\n{body['name']}\n{text}"
        fields, function = fields_without(call, _OF_CALL), fields_without(body, _OF_FUNCTION)
        fields |= {"type": CUSTOM} if CUSTOM in call else {}
        yield from envelope_of_fields(fields | ({"function": function} if function else {}), NAME)
        yield ToolCall(str(call.get("id") or derived_id(seed)), str(body["name"]), text)


class OpenAIEncoder(Encoder):
    """An encoder for Chat Completions. Each of Loom's messages becomes one message."""

    def add(self, message: Message) -> None:
        """Append one message in the shape of Chat Completions."""
        if message.role == "assistant":
            self.messages.append(_assistant_wire(message))
        elif message.role == "tool":
            block = single_result(message)
            told = {"tool_call_id": _wire_id(block.call_id), "content": result_content(block)}
            self.messages.append({"role": "tool", **told})
        else:
            self.messages.append(spoken_message(message))


def _assistant_wire(message: Message) -> Wire:
    """Return a reply as a Chat Completions message, with content, refusal, calls and reasoning."""
    spoken: list[str | Wire] = []
    refused: list[str] = []
    calls: list[Wire] = []
    further: Wire = {}
    for block, fields, _ in opened_blocks(message, NAME):
        if block is None:
            further.update({key: one for key, one in fields.items() if key not in _OWN})
            spoken += fields["content"] if isinstance(fields.get("content"), list) else ()
        elif isinstance(block, CallBlock):
            calls.append(_call_wire(block, fields))
        else:
            (refused if fields.get("type") == REFUSAL else spoken).append(block.text)
    content: str | list[Wire] | None = "\n\n".join(map(str, spoken)) or None
    if any(isinstance(one, dict) for one in spoken):  # texts as parts beside those of other kinds
        content = [{"type": "text", "text": s} if isinstance(s, str) else s for s in spoken]
    wire: Wire = {"role": "assistant", "content": content, **further}
    if refused:
        wire[REFUSAL] = "\n\n".join(refused)
    elif not spoken and not calls:
        wire["content"] = NO_TEXT
    if calls:
        wire["tool_calls"] = calls
    return wire


def _call_wire(block: CallBlock, fields: Wire) -> Wire:
    if fields.get("type") == CUSTOM:
        custom = {"name": block.name, "input": block.arguments}
        return with_envelope_fields(
            {"id": _wire_id(block.id), "type": CUSTOM, CUSTOM: custom}, fields
        )
    function: Wire = {"name": block.name, "arguments": arguments_text(block.arguments)}
    more = fields.get("function")
    if isinstance(more, dict):
        function = with_envelope_fields(function, more)
    call: Wire = {"id": _wire_id(block.id), "type": "function", "function": function}
    return with_envelope_fields(call, fields)


def _wire_id(call_id: str) -> str:
    """Return a call's id, shortened to `ID_CHARS`, the most that OpenAI takes."""
    return call_id if len(call_id) <= ID_CHARS else lawful_id(call_id, ID_CHARS)


ID_CHARS = 40  # "string too long. Expected a string with maximum length 40"

# What a reasoning block may never overwrite.
_OWN = frozenset({"role", "name", "content", REFUSAL, "tool_calls", "function_call"})

# What Loom holds of a call, and what client libraries add to it that no request may have.
_OF_CALL = frozenset({"id", "type", "function", "custom", "index"})
_OF_FUNCTION = frozenset({"name", "arguments", "input", "parsed_arguments"})

# Gemini's stand-in for a signature that is gone, as its OpenAI dialect carries one.
UNSIGNED = {"google": {"thought_signature": "skip_thought_signature_validator"}}


def _add_arguments(request: Wire, options: RequestOptions) -> None:
    """Add the reply's token limit, the cache key and the members that the provider demands to a
    request, in place. A stream is asked to report usage."""
    provider = options.provider
    request[provider.max_tokens] = options.max_tokens
    if provider.echo or provider.demands == "turn":
        request["messages"] = [_with_demanded_fields(one, provider) for one in request["messages"]]
    # Servers that only speak the dialect may refuse a key.
    if options.key and (provider.keyed or not options.model):
        request["prompt_cache_key"] = options.key
    if options.stream:
        request["stream_options"] = {"include_usage": True}


def _with_demanded_fields(message: Wire, provider: Provider) -> Wire:
    """Return a message with the member that its provider demands in a reply with calls, such as an
    empty reasoning text."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    if provider.echo:
        return (
            message if any(map(_is_reasoning_member, message)) else {provider.echo: "", **message}
        )
    if "extra_content" in calls[0]:
        return message
    return {**message, "tool_calls": [{**calls[0], "extra_content": UNSIGNED}, *calls[1:]]}


FORMAT = Format(
    name=NAME, accepted=ACCEPTED, streamed="a ChatCompletionChunk or a chunk event",
    accepts=accepts, decode=decode, begins=stream.begins, collector=stream.OpenAICollector,
    encoder=OpenAIEncoder, tool=SHAPES[NAME], arguments=_add_arguments,
)  # fmt: skip
