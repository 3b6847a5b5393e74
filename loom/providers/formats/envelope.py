"""Further fields of a text or a call, kept so that they can be sent back.

A neutral text is a text, and a neutral call an id, a name and arguments. Whatever else a provider
gave with one (a signature, the item's id, citations) travels in an *envelope*: a reasoning part
without text, directly before the part it belongs to, whose opaque JSON is `{"next": {fields}}`. The
encoder of the same format puts the fields back; the others pass over the envelope. A cut that drops
opaque reasoning drops envelopes with it, so an item's id never outlives the reasoning it depends
on.

Opaque blocks are tied to others by ids, a signature, or a call that is open. Anthropic's
`server_tool_use` and its result share an id, and so do the items of Responses' own tools; Gemini's
executable code and its result may have none. A provider refuses a call of its own tool without the
result, except at the end of a turn it paused, or beside calls whose results it waits for: then it
runs the tool when the reply is sent back, with those results and nothing else behind it
(platform.claude.com, "Server tools", November 2026).

This module also separates reasoning that a model wrote into its text, between tags, from its
answer. Servers of open models leave the tags in the text when no parser of theirs is switched on.
Where the model's row says that tags are content (`Provider.tags`), since its reasoning comes in
blocks of its own, a tag means the word. The same holds for a reply that has such a block."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers import provider_of
from loom.providers.formats.wire import Wire, compact_json, parse_json_object
from loom.providers.reasoning import separate
from loom.providers.render.message import CallBlock, Message, TextBlock, ThoughtBlock

NEXT = "next"
# Types of blocks that are reasoning, and how members of a message or part that are it begin.
REASONING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_THOUGHT = ("reasoning", "thinking", "thought", "extra_content")

# What Loom decides of a text, a call or a result in any format: no envelope carries or sets it.
DECIDED = frozenset(
    {"type", "role", "text", "content", "refusal"}
    | {"name", "arguments", "input", "call_id", "output"}
)


class OpenedBlock(NamedTuple):
    """One block of a reply, with the further fields to send with it.

    `block` is Loom's text or call, `fields` are the provider's own fields for `block`. A block of
    any other type is kept as the provider's dict: in `fields`, with `block` = None. `fields` may be
    sent only together with the provider's block whose id is `after`; "" means always."""

    block: TextBlock | CallBlock | None
    fields: Wire
    after: str = ""


def envelope_of_fields(
    fields: Mapping[str, Any], format: str, after: str = ""
) -> Iterator[Reasoning]:
    """Yield one Reasoning part (an envelope) that keeps `fields` for the part that follows it;
    nothing if `fields` is empty. `fields` may be sent only together with the provider's block whose
    id is `after`; "" means always."""
    if fields:
        depends = {"after": after} if after else {}
        yield Reasoning("", compact_json({NEXT: fields, **depends}), format)


def is_envelope(part: object) -> bool:
    """Tell whether a part of a reply is an envelope: a Reasoning part without text that only holds
    further fields for the part after it."""
    if not isinstance(part, Reasoning) or part.text or not part.opaque:
        return False
    fields = parse_json_object(part.opaque)
    return fields is not None and isinstance(fields.get(NEXT), dict)


def fields_without(item: Wire, own: Collection[str]) -> Wire:
    """Return a provider item's fields that are neither null nor named in `own`."""
    return {key: value for key, value in item.items() if key not in own and value is not None}


def with_envelope_fields(own: Wire, fields: Wire, decided: Collection[str] = ()) -> Wire:
    """Return the dict `own` with `fields` added, except keys that are in `own`, `DECIDED` or
    `decided`."""
    kept = {*own, *DECIDED, *decided}
    return {**own, **{key: value for key, value in fields.items() if key not in kept}}


def is_reasoning_block(block: Wire) -> bool:
    """Tell whether a provider's block, of any format, is reasoning."""
    if isinstance(block.get("type"), str):
        return block["type"] in REASONING
    inner = block.get("content")  # a content part of Chat Completions
    if isinstance(inner, list):
        return all(isinstance(part, dict) and is_reasoning_block(part) for part in inner)
    return any(name.startswith(_THOUGHT) for name in block)


def opened_blocks(message: Message, format: str) -> Iterator[OpenedBlock]:
    """Yield the blocks of a reply as OpenedBlocks, for a request in `format`. Blank texts are left
    out, as are reasoning and further fields in another format."""
    fields: Wire = {}
    after = ""
    for block in message.blocks:
        if isinstance(block, ThoughtBlock):
            thought = parse_json_object(block.opaque)
            envelope = thought is not None and isinstance(thought.get(NEXT), dict)
            if thought and block.format != format:
                if not envelope and not is_reasoning_block(thought):
                    said = (
                        f"[a block of {block.format}: {compact_json(_without_encrypted(thought))}]"
                    )
                    yield OpenedBlock(TextBlock(said), {})
            elif thought and envelope:
                fields, after = thought[NEXT], str(thought.get("after") or "")
            elif thought:
                yield OpenedBlock(None, thought)
            continue
        if isinstance(block, CallBlock) or (isinstance(block, TextBlock) and block.text.strip()):
            yield OpenedBlock(block, fields, after)
        fields, after = {}, ""


def _without_encrypted(value: Any) -> Any:
    """Return a block without its encrypted members, which only its provider can read."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if not key.startswith("encrypted")}
        return {key: _without_encrypted(one) for key, one in kept.items()}
    return [*map(_without_encrypted, value)] if isinstance(value, list) else value


IDS = ("id", "tool_use_id", "call_id")
CODE = frozenset({"executable_code", "code_execution_result"})
# Members that only a provider can make, of reasoning in any format.
SIGNED = frozenset({"signature", "thought_signature", "data", "extra_content"})
PLAIN = frozenset({"type", "thinking", "signature", "reasoning_content", "reasoning"})
USE = "_tool_use"  # ends the types of Anthropic's blocks for tools of its own


def opaques(parts: Iterable[object]) -> list[str]:
    """Return the JSON text of the provider's block in each part; "" for a part without one."""
    return [str(getattr(part, "opaque", "")) for part in parts]


def unpaired_indexes(before: Sequence[str], after: Sequence[str]) -> list[int]:
    """Return the indexes of calls of a provider's tools whose result was removed, and of results
    whose call was removed. `before` and `after` hold the opaque JSON of each part of a reply before
    and after the removal; "" stands for none."""
    gone: set[str] = set()
    for old, new in zip(before, after, strict=True):
        if old and not new:
            gone |= _link_ids(old)
    if not gone:
        return []
    return [at for at, opaque in enumerate(after) if not gone.isdisjoint(_link_ids(opaque))]


def standalone_flags(opaque: Sequence[str]) -> list[bool]:
    """Return one bool for each part of a reply: True if the part's block may be sent although
    messages before the reply have changed. `opaque` holds the JSON text of each part's block; ""
    gives False."""
    found, follows = [], False
    for block in map(_parse_opaque, opaque):
        # Signed reasoning is bound to what precedes it; in Responses each item after reasoning is.
        bound = is_reasoning_block(block) and _has_signature(block)
        if NEXT in block:
            bound = bool(block.get("after")) or is_reasoning_block(_dict_or_empty(block[NEXT]))
        free = bool(block) and not follows and not bound
        follows = follows or block.get("type") == "reasoning"
        found.append(free)
    return found


def is_signed(opaque: str) -> bool:
    """Tell whether a block, given as JSON text, contains a provider's signature and must be sent
    unchanged."""
    return _has_signature(_parse_opaque(opaque))


def is_unsigned_reasoning(part: Reasoning) -> bool:
    """Tell whether a part's opaque block is reasoning of text alone, without a signature."""
    block = _parse_opaque(part.opaque)
    plain = is_reasoning_block(block) and block.keys() <= PLAIN
    return bool(block) and plain and not block.get("signature")


def open_provider_calls(opaque: Sequence[str]) -> set[str]:
    """Return the ids of calls of the provider's own tools that have no result in a reply. `opaque`
    holds the JSON text of each part's block."""
    waiting: set[str] = set()
    for block in map(_parse_opaque, opaque):
        waiting |= {str(block.get("id"))} if str(block.get("type")).endswith(USE) else set()
        # A call of a host's tool may name a provider's call as its caller.
        caller = _dict_or_empty(_dict_or_empty(block.get(NEXT)).get("caller"))
        waiting |= {str(caller["tool_id"])} if caller.get("tool_id") else set()
        waiting.discard(str(block.get("tool_use_id")))
    return waiting


def _has_signature(value: Any) -> bool:
    """Tell whether a value has, at any depth, a signature or encrypted member of a provider."""
    if isinstance(value, dict):
        signed = (one for key, one in value.items() if key in SIGNED or key.startswith("encrypted"))
        return any(signed) or any(map(_has_signature, value.values()))
    return isinstance(value, list) and any(map(_has_signature, value))


def _dict_or_empty(value: Any) -> Wire:
    return value if isinstance(value, dict) else {}


def _parse_opaque(opaque: str) -> Wire:
    """Return the JSON object in a text; {} if the text holds no object."""
    return (parse_json_object(opaque) if opaque else None) or {}


def _link_ids(opaque: str) -> set[str]:
    """Return the ids by which a call of a provider's tool and its result are matched. `opaque` is
    the JSON text of the call or of the result."""
    block = _parse_opaque(opaque)
    if block.get("type") in REASONING:
        return set()
    ids = {str(block[key]) for key in IDS if block.get(key)}
    return ids if CODE.isdisjoint(block) else {*ids, "code"}


Part = Speech | Reasoning | ToolCall


def split_tagged_reasoning(reply: Reply, model: str = "") -> Reply:
    """Return a reply in which reasoning between tags is moved from the text into reasoning parts
    that are never sent back. `model` is used if the reply names no model."""
    if tags_are_content(reply, model):
        return reply
    parts: list[Part] = []
    for part in reply.parts:
        pieces = list(_split_off_reasoning(part))
        gone = isinstance(part, Speech) and not (pieces and isinstance(pieces[-1], Speech))
        if gone and parts and is_envelope(parts[-1]):
            parts.pop()  # what it carries belongs to the text that is gone, not to what follows
        parts += pieces
    return replace(reply, parts=tuple(parts)) if tuple(parts) != reply.parts else reply


def tags_are_content(reply: Reply, model: str) -> bool:
    """Tell whether reasoning tags in the text of a reply are ordinary text. `model` is used if the
    reply names no model."""
    if provider_of(reply.model or model).tags:
        return True
    return any(isinstance(part, Reasoning) and part.text for part in reply.parts)


def drop_unrequested_reasoning(reply: Reply, model: str) -> Reply:
    """Return a reply whose unsigned reasoning will not be sent back. The reply is unchanged if
    `model`, the model that was asked, wants its reasoning back."""
    if any(provider_of(name).thinks for name in (reply.model, model)):
        return reply
    kept = (
        Reasoning(part.text)
        if isinstance(part, Reasoning) and is_unsigned_reasoning(part)
        else part
        for part in reply.parts
    )
    return replace(reply, parts=tuple(kept))


def _split_off_reasoning(part: Part) -> Iterator[Part]:
    """Yield the reasoning parts of a text, then its answer. Any other part is yielded unchanged."""
    found = separate(part.text) if isinstance(part, Speech) else None
    if found is None or (isinstance(part, Speech) and found.answer == part.text):
        yield part
        return
    yield from (Reasoning(text) for text in found.reasoning)
    if found.answer.strip():
        yield Speech(found.answer)
