"""Reads messages that have a role, content and named calls: LangChain's, inspect's and others.

They differ only in the names of a few fields. LangChain wraps a message under `kwargs` or `data`.
The samples of an inspect log keep long texts in `attachments`. Messages of any other agent may also
have `thinking`, `ctx_tokens` (the size of the request), `compact_boundary` (a compaction) and
`compact_summary` (True on a compaction's summary)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loom.inputs import (
    ClientCompaction,
    Event,
    Reasoning,
    Reply,
    Result,
    Speech,
    System,
    ToolCall,
    User,
)
from loom.providers.formats.wire import (
    compact_json,
    content_parts,
    content_text,
    part_text,
    reported_tokens,
)
from loom.replay.importers.recorded_facts import (
    RecordedFacts,
    list_at,
    member_at,
    object_at,
    recorded_compaction,
    recorded_usage,
    text_at,
    total_usage,
)
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, TalkEvent, readable

# What shapes call those who speak.
WRAPPED = {"system": System, "human": User, "chat": User, "ai": Reply, "tool": Result,
           "function": Result}  # fmt: skip
ROLES: dict[str, type] = {"system": System, "user": User, "assistant": Reply, "tool": Result}
# Paths of members; of several the first that holds something.
NAME, ARGUMENTS = ("name", "function"), ("arguments", "args")  # of a call
CALL = ("tool_call_id", "name")  # that a result answers
MODEL = ("model", "response_metadata.model_name", "response_metadata.model")
SIZE = ("ctx_tokens", "usage_metadata.input_tokens")
# Blocks of reasoning, and blocks that repeat a call the message lists elsewhere.
THOUGHTS = frozenset({"thinking", "reasoning", "redacted_thinking"})
CALLS = frozenset(
    {"tool_use", "tool_call", "function_call", "input_json_delta", "invalid_tool_call", "toolCall"}
)
ATTACHED = "attachment://"
EVENT = "_summarization_event"  # of the state of a deep agent, beside its messages
# Members that only a sample has all of, and such as only a harness's own messages have.
SAMPLE = frozenset({"epoch", "target", "input"})
MARKS = frozenset({"ctx_tokens", "compact_boundary", "compact_summary", "thinking", "is_error"})


def spoken_parts(content: object) -> Iterator[Speech | Reasoning]:
    """Yield the texts and the reasoning in the content of a reply. Calls are left out."""
    for part in content_parts(content):
        kind = str(part.get("type"))
        if kind in THOUGHTS:
            if text := text_at(part, "thinking", "reasoning", "text"):
                yield Reasoning(text)
        elif kind not in CALLS and (text := part_text(part)):
            yield Speech(text)


def arguments_text(given: Any) -> str:
    """Return the arguments of a call as text: a text unchanged, any other value as JSON."""
    return given if isinstance(given, str) else compact_json({} if given is None else given)


def events(talk: Talk, notes: list[str]) -> Iterator[TalkEvent]:
    """Yield the events of the messages in recorded order, then the compactions."""
    attached = object_at(talk.about, "attachments")

    def read(item: RecordedMessage) -> Iterator[Event]:
        message = _with_attachments(_wrapped_fields(item.value) or item.value, attached)
        if not message.get("compact_boundary"):
            yield _message_event(item, message)

    yield from readable(talk.items, notes, read)
    yield from _compactions(talk)


def _compactions(talk: Talk) -> Iterator[ClientCompaction]:
    """Yield a compaction for each `compact_boundary`, or per summary if there is no boundary."""
    lines = [(item.index, item.value) for item in talk.items]
    summaries = [
        (at, (_wrapped_fields(value) or value).get("content"))
        for at, value in lines
        if _is_summary(value)
    ]
    told = [one for one in list_at(talk.about, "events") if member_at(one, "event") == "compaction"]
    marks = [
        (at, value["compact_boundary"]) for at, value in lines if value.get("compact_boundary")
    ]
    # Where none is marked, each summary is one; inspect tells its sizes beside the messages.
    marks = marks or [(at, dict(enumerate(told)).get(n, {})) for n, (at, _) in enumerate(summaries)]
    if (
        cut := reported_tokens(member_at(talk.about, f"{EVENT}.cutoff_index"))
    ) and not marks:  # deepagents
        summary = member_at(talk.about, f"{EVENT}.summary_message")
        marks = [(cut, {})]
        summaries = [(cut, member_at(summary, "kwargs.content", "data.content", "content"))]
    return (recorded_compaction(at, told, summaries) for at, told in marks)


def facts(talk: Talk) -> RecordedFacts:
    """Return the model that a log names and the token usage that the log or its replies report."""
    each = (member_at(_wrapped_fields(item.value), "usage_metadata") for item in talk.items)
    used = total_usage(map(recorded_usage, (*object_at(talk.about, "model_usage").values(), *each)))
    return RecordedFacts(text_at(talk.about, "log.eval.model"), used)


def _is_summary(value: dict[str, Any]) -> bool:
    """Return True if a message is marked as the summary that replaced earlier messages."""
    source = member_at(_wrapped_fields(value), "additional_kwargs.lc_source")
    marked = value.get("compact_summary") or member_at(value, "metadata.summary") is True
    return bool(marked) or source == "summarization"


def _message_event(item: RecordedMessage, message: dict[str, Any]) -> Event:
    """Return the event of one recorded message. `message` has its fields, with attachments filled
    in. Raises BadSession if the role is unknown or a call has no id or name."""
    kind = _speaker_name(item.value)
    speaker, content = (WRAPPED | ROLES).get(kind), message.get("content")
    if speaker is Reply:
        thought = content_text(message.get("thinking"))
        said = (*([Reasoning(thought)] if thought else []), *spoken_parts(content))
        calls = _tool_calls(item, message.get("tool_calls"))
        size = reported_tokens(member_at(message, *SIZE))
        return Reply((*said, *calls), text_at(message, *MODEL), size, item.index)
    if speaker is Result:
        call = member_at(message, *CALL)
        if not isinstance(call, str):
            raise item.bad("a result has no `tool_call_id`")
        text = content_text(content, "\n") or text_at(message, "error.message")
        failed = bool(member_at(message, "is_error", "error")) or message.get("status") == "error"
        return Result(call, text, failed, item.index)
    if speaker is None:
        raise item.bad(f"the role {kind!r:.80} is none of {', '.join(ROLES)}")
    if speaker is User and _is_summary(item.value) and not item.value.get("compact_summary"):
        return User(content_text(content), item.index, "summary")
    return speaker(content_text(content), item.index)  # type: ignore[no-any-return]


def _tool_calls(item: RecordedMessage, calls: object) -> Iterator[ToolCall]:
    """Yield the calls of a reply. Raises BadSession if a call has no id or name."""
    if not isinstance(calls, list | None):
        raise item.bad("`tool_calls` is not a list")
    for call in calls or []:
        id, name = text_at(call, "id"), member_at(call, *NAME)
        if not id or not name or not isinstance(name, str):
            raise item.bad("a call has no `id` or no `name`")
        yield ToolCall(id, name, arguments_text(member_at(call, *ARGUMENTS)))


def _wrapped_fields(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the fields of a message inside LangChain's wrapper, None for other messages."""
    wrapped = value.get("kwargs") if "lc" in value else value.get("data")
    known = "lc" in value or _wrapped_type(value) in WRAPPED
    return wrapped if known and isinstance(wrapped, dict) and "content" in wrapped else None


def _wrapped_type(value: dict[str, Any]) -> str:
    """Return LangChain's type of a message in short form: "AIMessageChunk" → "ai"."""
    return str(value.get("type")).removesuffix("MessageChunk").lower()


def _speaker_name(value: dict[str, Any]) -> str:
    """Return the role of a message in the words of its own format, such as "ai" or "assistant"."""
    fields = _wrapped_fields(value)
    if fields is None:
        return str(value.get("role"))
    return _wrapped_type({"type": fields.get("type") or value.get("type")})


def _with_attachments(value: Any, texts: dict[str, Any]) -> Any:
    """Return a copy of a JSON value with references to attachments replaced by their texts. `texts`
    maps the names of attachments to their texts."""
    if not texts:
        return value
    if isinstance(value, str) and value.startswith(ATTACHED):
        return texts.get(value.removeprefix(ATTACHED), value)
    if isinstance(value, list):
        return [_with_attachments(item, texts) for item in value]
    if isinstance(value, dict):
        return {key: _with_attachments(item, texts) for key, item in value.items()}
    return value


def _recorded_calls(talk: Talk) -> Iterator[dict[str, Any]]:
    """Yield the tool calls in the messages of a talk, as recorded."""
    for item in talk.items:
        calls = list_at(item.value, "tool_calls") if "role" in item.value else ()
        yield from (call for call in calls if isinstance(call, dict))


def _is_inspect(talk: Talk) -> bool:
    """Return True for the messages of an inspect sample: a sample's fields, or a call whose
    `function` is its name."""
    return talk.about.keys() >= SAMPLE or any(
        isinstance(call.get("function"), str) and "arguments" in call
        for call in _recorded_calls(talk)
    )


def _is_normalised(talk: Talk) -> bool:
    """Return True for messages with a field or a form of call that no provider uses."""
    marked = any("role" in item.value and MARKS & item.value.keys() for item in talk.items)
    return marked or any(
        "name" in call and "function" not in call for call in _recorded_calls(talk)
    )


def _is_langchain(talk: Talk) -> bool:
    """Return True if a message is inside LangChain's wrapper."""
    return any(_wrapped_fields(item.value) is not None for item in talk.items)


LANGCHAIN = Importer("langchain", _is_langchain, events, facts)
INSPECT = Importer("inspect", _is_inspect, events, facts)
NORMALISED = Importer("normalised", _is_normalised, events, facts)
