"""The history of a workspace as the messages of a provider, which the importers read again.

Every entry the session stands on comes whole: what the user said, each reply as it was given, its
results. Not so what Loom put there for the model: notices, digests, what was read ahead. A message
holds one entry and no more, where a request would join or mend some, so the texts come back as they
were. The model stands beside them, as in a request; of several the one of most replies. What a
shape has no place for is lost: in Anthropic's the arguments of a call are a value, not
a text, and opaque reasoning goes to its own provider only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from loom.inputs import Reasoning, Reply, Speech, ToolCall
from loom.providers.formats import format_of
from loom.providers.formats.gemini import PLACEHOLDER
from loom.providers.formats.wire import Wire
from loom.providers.render.message import Block, CallBlock, Message, TextBlock, ThoughtBlock
from loom.session.archive.reading import standing, whole
from loom.session.archive.restore import restore
from loom.session.archive.workspace import Workspace
from loom.text import printable
from loom_paging import Expired
from loom_partitions.message import Text
from loom_partitions.records import Brought, Replied


class MessageShape(Struct, frozen=True):
    """How a provider's messages hold a user's text, a result (call, tool, text, failed), a reply;
    how a document begins that has instructions, and the member of it that has the messages."""

    user: Callable[[str], Wire]
    result: Callable[[str, str, str, bool], Wire]
    reply: Callable[[Reply], list[Wire]]
    system: Callable[[str], Wire]
    member: str = "messages"


def talk(workspace: Workspace, format: str) -> tuple[Wire, int]:
    """The session of a workspace as one JSON document, and how many messages it has.

    Raises what reading its pages raises.
    """
    shape = SHAPES[format]
    held = workspace.window.system.current
    system = "\n\n".join(printable(whole(workspace, one.text)) for one in held)
    entries = sorted(workspace.index.commits)
    messages = [one for entry in entries for one in _entry(workspace, shape, entry)]
    model = _model(workspace, entries)
    document: Wire = ({"model": model} if model else {}) | (shape.system(system) if system else {})
    document[shape.member] = [*document.get(shape.member, ()), *messages]
    return document, len(messages)


def _model(workspace: Workspace, entries: list[int]) -> str:
    """The model most replies name, else the one the workspace was opened with; "" for none."""
    about = (record for entry in entries for record in workspace.about(entry))
    named = Counter(one.model for one in about if isinstance(one, Replied) and one.model)
    return next((one for one, _ in named.most_common(1)), workspace.window.config.model)


def left_out(workspace: Workspace) -> int:
    """How many entries are left out: they were undone."""
    return sum(workspace.index.is_undone(entry) for entry in workspace.index.commits)


def _entry(workspace: Workspace, shape: MessageShape, entry: int) -> Iterator[Wire]:
    if workspace.index.is_undone(entry):
        return
    if any(isinstance(record, Brought) for record in workspace.about(entry)):
        return
    made = restore(workspace, entry, _or_retired)
    if made.reply is None:
        yield shape.user(printable(made.text))
        return
    yield from shape.reply(made.reply)
    for call in made.reply.calls:
        if call.id in made.results:
            text = printable(made.results[call.id])
            yield shape.result(call.id, call.name, text, call.id in made.errors)


def _or_retired(workspace: Workspace, text: Text) -> str:
    """A text whole, or what stands in a request for one whose page was retired."""
    try:
        return whole(workspace, text)
    except Expired:
        return str(standing(workspace, text))


def _encoded(format: str, reply: Reply) -> list[Wire]:
    """A reply as the format's encoder writes it, in messages of its own."""
    encoder = format_of(format).encoder()
    blocks = tuple(block for part in reply.parts if (block := _block(part)) is not None)
    encoder.extend([Message("user", (TextBlock("-"),)), Message("assistant", blocks)])
    return encoder.messages[1:]


def _block(part: Speech | Reasoning | ToolCall) -> Block | None:
    if isinstance(part, ToolCall):
        return CallBlock(part.id, part.name, part.arguments)
    if isinstance(part, Speech):
        return TextBlock(printable(part.text))
    return ThoughtBlock(part.opaque, part.format) if part.opaque else None


def _openai_reply(reply: Reply) -> list[Wire]:
    """A message of Chat Completions; several texts stay apart, each a part of its content."""
    made = _encoded("openai", reply)[0]
    said = [printable(part.text) for part in reply.parts if isinstance(part, Speech)]
    if len(said) > 1 and "refusal" not in made:
        made["content"] = [{"type": "text", "text": text} for text in said]
    thoughts = [part.text for part in reply.parts if isinstance(part, Reasoning) and part.text]
    if thoughts and not any(isinstance(p, Reasoning) and p.opaque for p in reply.parts):
        made["reasoning_content"] = "\n\n".join(map(printable, thoughts))
    return [made]


def _openai_result(call: str, name: str, text: str, failed: bool) -> Wire:
    made: Wire = {"role": "tool", "tool_call_id": call, "name": name, "content": text}
    return {**made, "status": "error"} if failed else made


def _responses_reply(reply: Reply) -> list[Wire]:
    """Items of Responses; texts that follow on each other are one message, a part each."""
    made: list[Wire] = []
    for item in _encoded("responses", reply):
        if item.get("role") != "assistant" or not isinstance(item.get("content"), str):
            made.append(item)
            continue
        part = {"type": "output_text", "text": item["content"]}
        if made and made[-1].get("role") == "assistant" and "id" not in made[-1]:
            made[-1]["content"].append(part)
        else:
            made.append({"type": "message", **item, "content": [part]})
    return made


def _responses_result(call: str, name: str, text: str, failed: bool) -> Wire:
    made: Wire = {"type": "function_call_output", "call_id": call, "output": text}
    return {**made, "status": "error"} if failed else made


def _gemini_reply(reply: Reply) -> list[Wire]:
    """A content of Gemini, without signatures that only stand in for one."""
    made = _encoded("gemini", reply)
    for part in (part for one in made for part in one["parts"]):
        for key in [key for key, value in part.items() if value == PLACEHOLDER]:
            del part[key]
    return made


def _gemini_result(call: str, name: str, text: str, failed: bool) -> Wire:
    told = {"id": call, "name": name, "response": {"error" if failed else "output": text}}
    return {"role": "user", "parts": [{"function_response": told}]}


def _anthropic_result(call: str, name: str, text: str, failed: bool) -> Wire:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": text}
    return {"role": "user", "content": [{**block, "is_error": True} if failed else block]}


SHAPES: dict[str, MessageShape] = {
    "openai": MessageShape(
        user=lambda text: {"role": "user", "content": text},
        result=_openai_result,
        reply=_openai_reply,
        system=lambda text: {"messages": [{"role": "system", "content": text}]},
    ),
    "responses": MessageShape(
        user=lambda text: {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": text}],
        },
        result=_responses_result,
        reply=_responses_reply,
        system=lambda text: {"instructions": text},
        member="input",
    ),
    "gemini": MessageShape(
        user=lambda text: {"role": "user", "parts": [{"text": text}]},
        result=_gemini_result,
        reply=_gemini_reply,
        system=lambda text: {"config": {"system_instruction": text}},
        member="contents",
    ),
    "anthropic": MessageShape(
        user=lambda text: {"role": "user", "content": [{"type": "text", "text": text}]},
        result=_anthropic_result,
        reply=partial(_encoded, "anthropic"),
        system=lambda text: {"system": [{"type": "text", "text": text}]},
    ),
}
