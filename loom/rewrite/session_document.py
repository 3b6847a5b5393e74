"""The history of a workspace as messages in a provider's format, which `loom import` can read
again.

Every entry of the session is written in full: the user's texts, each reply as the model gave it,
and its results. What Loom added for the model is left out: notices, digests, texts that were read
ahead. Each message holds exactly one entry, although a request may join messages or correct them.
So the texts are unchanged. The document names one model, as a request does: the one with the most
replies. A provider's format has no place for some things, which are lost. In Anthropic's format,
the arguments of a call are written as a value, not as the original text. Opaque reasoning is
written only in the format of its own provider."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats import format_of
from loom.providers.formats.gemini import PLACEHOLDER
from loom.providers.formats.wire import Wire
from loom.providers.render.message import Block, CallBlock, Message, TextBlock, ThoughtBlock
from loom.session.archive.page_reader import full_text, readable_text
from loom.session.archive.restore import restore_entry
from loom.session.archive.workspace import Workspace
from loom.text import encodable
from loom_paging import Expired
from loom_partitions.message import Text
from loom_partitions.records import Brought, Replied


class MessageShape(Struct, frozen=True):
    """How a document in a provider's format is built. `user` turns a user's text into a message,
    `reply` turns a reply into messages. `system` turns the instructions into members of the
    document. `member` is the name of the list of messages."""

    user: Callable[[str], Wire]
    reply: Callable[[Reply], list[Wire]]
    system: Callable[[str], Wire]
    member: str


def session_document(workspace: Workspace, format: str) -> tuple[Wire, int]:
    """Return a pair (document, number of messages). The document is the session of a workspace as a
    JSON object in a provider's format. Raises the errors of reading pages."""
    shape, entries = SHAPES[format], sorted(workspace.index.commits)
    messages = [one for entry in entries for one in _entry_messages(workspace, format, entry)]
    # The model most replies name, else the one the workspace was opened with.
    about = (record for entry in entries for record in workspace.about(entry))
    named = Counter(one.model for one in about if isinstance(one, Replied) and one.model)
    model = max(named, key=named.__getitem__, default=workspace.window.config.model)
    held = workspace.window.system.current
    system = "\n\n".join(encodable(full_text(workspace, one.text)) for one in held)
    document: Wire = ({"model": model} if model else {}) | (shape.system(system) if system else {})
    document[shape.member] = [*document.get(shape.member, ()), *messages]
    return document, len(messages)


def count_undone(workspace: Workspace) -> int:
    """Return the number of undone entries, which a document leaves out."""
    return sum(workspace.index.is_undone(entry) for entry in workspace.index.commits)


def _entry_messages(workspace: Workspace, format: str, entry: int) -> Iterator[Wire]:
    """Yield the messages of an entry, none for an entry that was undone or that Loom added."""
    brought = any(isinstance(record, Brought) for record in workspace.about(entry))
    if brought or workspace.index.is_undone(entry):
        return
    made = restore_entry(workspace, entry, _text_or_stand_in)
    if made.reply is None:
        yield SHAPES[format].user(encodable(made.text))
        return
    yield from SHAPES[format].reply(made.reply)
    for call in made.reply.calls:
        if call.id in made.results:
            text = encodable(made.results[call.id])
            yield _result_message(format, call.id, call.name, text, call.id in made.errors)


def _text_or_stand_in(workspace: Workspace, text: Text) -> str:
    """Return a text in full, or the line shown instead of a text whose page was removed."""
    try:
        return full_text(workspace, text)
    except Expired:
        return str(readable_text(workspace, text))


def _typed_text(kind: str, text: str) -> Wire:
    return {"type": kind, "text": text}


def _encoded_reply(format: str, reply: Reply) -> list[Wire]:
    """Return one reply as messages in a provider's format."""
    encoder, blocks = format_of(format).encoder(), list[Block]()
    for part in reply.parts:
        if isinstance(part, ToolCall):
            blocks.append(CallBlock(part.id, part.name, part.arguments))
        elif isinstance(part, Speech):
            blocks.append(TextBlock(encodable(part.text)))
        elif part.opaque:
            blocks.append(ThoughtBlock(part.opaque, part.format))
    encoder.extend([Message("user", (TextBlock("-"),)), Message("assistant", tuple(blocks))])
    return encoder.messages[1:]


def _openai_reply(reply: Reply) -> list[Wire]:
    """Return a reply as a list with one Chat Completions message."""
    made = _encoded_reply("openai", reply)[0]
    said = [encodable(part.text) for part in reply.parts if isinstance(part, Speech)]
    if len(said) > 1 and "refusal" not in made:
        made["content"] = [_typed_text("text", text) for text in said]
    thoughts = [part for part in reply.parts if isinstance(part, Reasoning)]
    texts = [encodable(part.text) for part in thoughts if part.text]
    if texts and not any(part.opaque for part in thoughts):
        made["reasoning_content"] = "\n\n".join(texts)
    return [made]


def _responses_reply(reply: Reply) -> list[Wire]:
    """Return a reply as a list of Responses items."""
    made: list[Wire] = []
    for item in _encoded_reply("responses", reply):
        if item.get("role") != "assistant" or not isinstance(item.get("content"), str):
            made.append(item)
            continue
        part = _typed_text("output_text", item["content"])
        if made and made[-1].get("role") == "assistant" and "id" not in made[-1]:
            made[-1]["content"].append(part)
        else:
            made.append({"type": "message", **item, "content": [part]})
    return made


def _gemini_reply(reply: Reply) -> list[Wire]:
    """Return a reply as a list of Gemini contents, without placeholder signatures."""
    made = _encoded_reply("gemini", reply)
    for one in made:
        one["parts"] = [
            {key: value for key, value in part.items() if value != PLACEHOLDER}
            for part in one["parts"]
        ]
    return made


def _result_message(format: str, call: str, name: str, text: str, failed: bool) -> Wire:
    """Return the result `text` of the call with the id `call` as one message. `name` is the
    tool."""
    if format == "gemini":
        told = {"id": call, "name": name, "response": {"error" if failed else "output": text}}
        return {"role": "user", "parts": [{"function_response": told}]}
    if format == "anthropic":
        block: Wire = {"type": "tool_result", "tool_use_id": call, "content": text}
        return {"role": "user", "content": [{**block, "is_error": True} if failed else block]}
    made: Wire = {"type": "function_call_output", "call_id": call, "output": text}
    if format == "openai":
        made = {"role": "tool", "tool_call_id": call, "name": name, "content": text}
    return {**made, "status": "error"} if failed else made


SHAPES: dict[str, MessageShape] = {
    "openai": MessageShape(
        lambda text: {"role": "user", "content": text},
        _openai_reply,
        lambda text: {"messages": [{"role": "system", "content": text}]},
        "messages",
    ),
    "responses": MessageShape(
        lambda text: {
            "type": "message",
            "role": "user",
            "content": [_typed_text("input_text", text)],
        },
        _responses_reply,
        lambda text: {"instructions": text},
        "input",
    ),
    "gemini": MessageShape(
        lambda text: {"role": "user", "parts": [{"text": text}]},
        _gemini_reply,
        lambda text: {"config": {"system_instruction": text}},
        "contents",
    ),
    "anthropic": MessageShape(
        lambda text: {"role": "user", "content": [_typed_text("text", text)]},
        partial(_encoded_reply, "anthropic"),
        lambda text: {"system": [_typed_text("text", text)]},
        "messages",
    ),
}
