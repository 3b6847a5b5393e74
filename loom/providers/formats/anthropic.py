"""The format of Anthropic's Messages API: content as blocks, results in the next user message.

Rules of the provider, https://docs.anthropic.com/en/api/messages: roles alternate, beginning with a
user message; results come first in their message; tool ids are unique and match [a-zA-Z0-9_-]+; no
text block is blank; a message does not end in thinking; signed thinking is sent back unchanged.
Hosts set cache marks on blocks of a request; `request(editable=…)` says which messages are copies.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.caching import add_cache_marks
from loom.providers.formats.blocks import (
    EMPTY_MESSAGE,
    NO_OUTPUT,
    NO_TEXT,
    RESUMES,
    WireIds,
    arguments_object,
    media_parts,
    nonblank_texts,
    result_parts,
    single_result,
)
from loom.providers.formats.envelope import (
    USE,
    envelope_of_fields,
    fields_without,
    opened_blocks,
    with_envelope_fields,
)
from loom.providers.formats.format import Encoder, Format, RequestOptions, unknown_reply_error
from loom.providers.formats.stream import anthropic as stream
from loom.providers.formats.wire import (
    MARKS,
    Wire,
    compact_json,
    content_parts,
    model_and_prompt_size,
    plain_reply,
    reported_tokens,
)
from loom.providers.render.message import CallBlock, Message
from loom.providers.schema import SHAPES
from loom.providers.table import BY_FORMAT

NAME = "anthropic"
ACCEPTED = "a message of role assistant whose content is text or a list of blocks"

THINKING = frozenset({"thinking", "redacted_thinking"})

# Block types that no other provider uses.
BLOCKS = THINKING | {"tool_use", "tool_result", "server_tool_use"}

# The size of a request: what was read anew, and what the cache served.
_PROMPT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")

# What Loom holds of a block, and what the library parsed out of it; the rest goes in an envelope.
_OF_TEXT = frozenset({"type", "text", "parsed_output", *MARKS})
_OF_CALL = frozenset({"type", "id", "name", "input", *MARKS})

# Written in a citation of a reply, refused in that of a request.
_READ_ONLY = "file_id"

# Blocks that only Loom makes: an opaque one of these types is not sent.
_OURS = frozenset({"text", "tool_use", "tool_result"})


def accepts(value: object) -> bool:
    """Tell whether a value of plain dicts is a Messages API reply that fits no other format."""
    if not isinstance(value, dict) or "content" not in value:
        return False
    if value.get("type") == "message" or "stop_reason" in value:
        return True
    return any(part.get("type") in BLOCKS for part in content_parts(value["content"]))


def decode(reply: object) -> Reply:
    """Read a message of the Messages API into a Reply. `reply` is a dict or an object. Signed and
    redacted thinking and blocks of unknown types are kept as opaque JSON. Raises BadInput."""
    value = plain_reply(reply)
    role = value.get("role", "assistant") if isinstance(value, dict) else ""
    if role != "assistant" or not isinstance(value.get("content", 0), list | str | None):
        raise unknown_reply_error(reply, ACCEPTED)
    return Reply(
        tuple(_reply_parts(value["content"])),
        **model_and_prompt_size(value, "usage", *_PROMPT_TOKENS),
    )


def hour_cache_tokens(reply: object) -> int:
    """Return how many tokens a request wrote to the one-hour prompt cache, as its reply reports; 0
    if the reply does not say."""
    value = None if isinstance(reply, str | Reply) else plain_reply(reply)
    for name in ("usage", "cache_creation", "ephemeral_1h_input_tokens"):
        value = value.get(name) if isinstance(value, dict) else None
    return reported_tokens(value)


def _reply_parts(content: object) -> Iterator[Speech | Reasoning | ToolCall]:
    """Yield the parts of a reply from the content of a message. Fields of a block that Loom has no
    place for are yielded before the block's part, in a Reasoning part without text (an envelope).
    """
    for block in content_parts(content):
        match block.get("type"):
            case "text":
                text = str(block.get("text") or "")
                if text.strip():
                    yield from envelope_of_fields(
                        _with_sendable_citations(fields_without(block, _OF_TEXT)), NAME
                    )
                if text:
                    yield Speech(text)
            case "tool_use":
                yield from envelope_of_fields(fields_without(block, _OF_CALL), NAME)
                yield _tool_call(block)
            case _:
                kept = {key: one for key, one in block.items() if key not in MARKS}
                yield Reasoning(str(block.get("thinking") or ""), compact_json(kept), NAME)


def _with_sendable_citations(fields: Wire) -> Wire:
    """Return the fields of a text block, without citation fields that a request may not carry."""
    citations = fields.get("citations")
    if not isinstance(citations, list):
        return fields
    sent = [
        {key: value for key, value in citation.items() if key != _READ_ONLY}
        for citation in citations
        if isinstance(citation, dict)
    ]
    return {**fields, "citations": sent}


def _tool_call(block: Wire) -> ToolCall:
    if not block.get("name") or not block.get("id"):
        raise unknown_reply_error(block, "tool_use blocks with an `id` and a `name`")
    given = block.get("input")
    arguments = given if isinstance(given, str) else compact_json({} if given is None else given)
    return ToolCall(str(block["id"]), str(block["name"]), arguments)


class AnthropicEncoder(Encoder):
    """An encoder for the Messages API. Neighbouring messages of one role become one message."""

    def __init__(self) -> None:
        super().__init__()
        self._ids = WireIds()
        self._waiting: set[str] = set()  # the provider's own calls whose result may follow

    def lead(self) -> Wire:
        """Return {"system": text blocks} with the instructions. The caller may edit the result."""
        return {"system": [_text_block(text) for text in self.system]}

    def add(self, message: Message) -> None:
        """Append one message, or join it to the last message if both have the same role."""
        if message.role == "system" and not self.messages:
            self.system.extend(nonblank_texts(message))
        elif message.role == "assistant":
            self._append_blocks("assistant", self._assistant_blocks(message))
        elif message.role == "tool":
            self._append_blocks("user", [self._result_block(message)])
        else:
            said = [*(_text_block(text) for text in nonblank_texts(message)), *media_parts(message)]
            self._append_blocks("user", said or [_text_block(EMPTY_MESSAGE)])

    def _append_blocks(self, role: str, blocks: list[Wire]) -> None:
        """Add blocks to the last message if it has the role `role`, else append a new message."""
        if role == "user" and any(block["type"] != "tool_result" for block in blocks):
            # After words of the user, the provider refuses a call of its own that has no result.
            self._drop_unanswered_uses()
        if not self.messages and role == "assistant":
            self.messages.append({"role": "user", "content": [_text_block(RESUMES)]})
        if self.messages and self.messages[-1]["role"] == role:
            joined = [*self.messages[-1]["content"], *blocks]
            joined.sort(key=lambda block: block["type"] != "tool_result")  # results first
            self.messages[-1] = {"role": role, "content": joined}
        else:
            self.messages.append({"role": role, "content": blocks})

    def _drop_unanswered_uses(self) -> None:
        """Remove calls of the provider's own tools that have no result from the last reply."""
        waiting, self._waiting = self._waiting, set()
        at = len(self.messages) - 1
        while waiting and at >= 0 and self.messages[at]["role"] != "assistant":
            at -= 1
        if waiting and at >= 0:
            message = self.messages[at]
            kept = [_without_caller(one, waiting) for one in message["content"]]
            spoken = _with_closing_text([one for one in kept if one.get("id") not in waiting])
            self.messages[at] = {**message, "content": spoken}

    def _may_send_block(self, block: Wire) -> bool:
        """Tell whether an opaque block of the provider may be sent, and keep track of calls of the
        provider's tools that have no result yet."""
        kind, use = block.get("type"), block.get("tool_use_id")
        if not isinstance(kind, str) or kind in _OURS:
            return False
        if kind.endswith(USE):
            self._waiting.add(str(block.get("id")))
        elif use is not None:
            found = use in self._waiting
            self._waiting.discard(use)
            return found
        return True

    def _assistant_blocks(self, message: Message) -> list[Wire]:
        """Return an assistant message as Messages API blocks."""
        blocks: list[Wire] = []
        for block, fields, _ in opened_blocks(message, NAME):
            if block is None:
                if self._may_send_block(fields):
                    blocks.append(fields)
            elif isinstance(block, CallBlock):
                use = {"type": "tool_use", "id": self._ids.call(block.id), "name": block.name}
                blocks.append(
                    with_envelope_fields(
                        {**use, "input": arguments_object(block.arguments)}, fields
                    )
                )
            else:
                blocks.append(with_envelope_fields(_text_block(block.text), fields))
        return _with_closing_text(
            blocks, open=not self._waiting.isdisjoint(one.get("id") for one in blocks)
        )

    def _result_block(self, message: Message) -> Wire:
        """Return a tool message, which holds one result, as a `tool_result` block."""
        block = single_result(message)
        wire: Wire = {
            "type": "tool_result",
            "tool_use_id": self._ids.result(block.call_id),
            "content": result_parts(block) or (block.text if block.text.strip() else NO_OUTPUT),
        }
        return {**wire, "is_error": True} if block.error else wire


def _without_caller(block: Wire, gone: set[str]) -> Wire:
    """Return a call without its `caller` member if the caller's id is in `gone`."""
    caller = block.get("caller")
    made = isinstance(caller, dict) and caller.get("tool_id") in gone
    return {key: one for key, one in block.items() if key != "caller"} if made else block


def _with_closing_text(blocks: list[Wire], *, open: bool = False) -> list[Wire]:
    """Return the blocks of a reply, with a placeholder text at the end if the provider would refuse
    a reply that ends like this. With `open` (a provider's tool is still at work) nothing is added.
    """
    plainly = any(block["type"] in {"text", "tool_use"} for block in blocks)
    ends = plainly and blocks[-1]["type"] not in THINKING
    return blocks if ends or open else [*blocks, _text_block(NO_TEXT)]


def _text_block(text: str) -> Wire:
    return {"type": "text", "text": text}


def _add_arguments(request: Wire, options: RequestOptions) -> None:
    """Add the reply's token limit and the cache marks to a request, in place, and remove unsigned
    thinking if the provider is Anthropic."""
    request["max_tokens"] = options.max_tokens
    if options.provider.name == BY_FORMAT[NAME].name:
        request["messages"] = [*map(_without_unsigned_thinking, request["messages"])]
    if options.marks is not None:
        add_cache_marks(request, options.marks, options.lasting)


def _without_unsigned_thinking(message: Wire) -> Wire:
    """Return a message without thinking blocks that have no signature; Anthropic refuses these."""
    content = message["content"]
    kept = [one for one in content if one["type"] != "thinking" or one.get("signature")]
    return message if len(kept) == len(content) else {**message, "content": kept}


FORMAT = Format(
    name=NAME, accepted=ACCEPTED, streamed="an event of a Messages stream",
    accepts=accepts, decode=decode, begins=stream.begins, collector=stream.AnthropicCollector,
    encoder=AnthropicEncoder, tool=SHAPES[NAME], arguments=_add_arguments, marked=True,
)  # fmt: skip
