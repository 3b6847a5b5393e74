"""Sessions of opencode, as `opencode export` writes them and as its database holds them.

A message has `info` (who speaks, the model, tokens) and `parts`: texts, reasoning, and calls each
with its result. A part of the type `compaction` asks for a summary; the reply to it has `summary`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from loom.inputs import (
    ClientCompaction,
    Event,
    Reasoning,
    RecordedUsage,
    Reply,
    Result,
    Speech,
    ToolCall,
    User,
)
from loom.providers.formats.wire import compact, count
from loom.replay.importers.facts import RecordedFacts, texts, total
from loom.replay.importers.losses import mark_dropped
from loom.replay.importers.members import list_at, member_at, object_at, text_at
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

ENDED = {"completed": "output", "error": "error"}  # states of a call, and what holds its result


def accepts(talk: Talk) -> bool:
    """Tell whether a message keeps its parts beside who speaks."""
    return any(
        "role" in object_at(item.value, "info") and "parts" in item.value for item in talk.items
    )


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order; a summary is a turn of the user.

    So the model was given it in place of what stands before.
    """

    def read(item: RecordedMessage) -> Iterator[Event]:
        if not isinstance(item.value.get("parts"), list):
            raise item.bad("it has no list of `parts`")
        role = member_at(item.value, "info.role")
        if _marks(item):
            notes.append(mark_dropped(item.index))
        if role == "user" or _is_summary(item):
            if text := _text(item):
                yield User(text, item.index)
        elif role == "assistant":
            for step in _steps(item):
                yield from _step(item, step)
        else:
            raise item.bad(f"the role {role!r:.80} is none of user, assistant")

    return readable(talk.items, notes, read)


def facts(talk: Talk) -> RecordedFacts:
    """Return what all replies used, and what each compaction cost."""
    compactions: list[ClientCompaction] = []
    before, trigger, tail = 0, "", ""
    for item in talk.items:
        used = _used(item)
        if marks := _marks(item):
            trigger = "auto" if marks[-1].get("auto") else "manual"
            tail = text_at(marks[-1], "tail_start_id")
        if _is_summary(item):
            sizes = before, 0, used.input, used.output
            kept = _kept(talk, tail, item.index)
            compactions.append(
                ClientCompaction(item.index, *sizes, trigger, _text(item), kept=kept)
            )
        elif member_at(item.value, "info.role") == "assistant":
            before = used.input + used.output
    folder = text_at(talk.about, "info.directory")
    return RecordedFacts("", total(map(_used, talk.items)), tuple(compactions), folder)


def _kept(talk: Talk, tail: str, end: int) -> tuple[str, ...]:
    """The texts of the messages that stood on beside a summary: from the one of that id."""
    ids = [member_at(item.value, "info.id") for item in talk.items]
    first = ids.index(tail) if tail and tail in ids else len(ids)
    items = tuple(item for item in talk.items[first:] if item.index < end)
    return tuple(text for one in events(replace(talk, items=items), []) for text in texts(one))


def _parts(item: RecordedMessage) -> list[dict[str, Any]]:
    return [part for part in list_at(item.value, "parts") if isinstance(part, dict)]


def _marks(item: RecordedMessage) -> list[dict[str, Any]]:
    return [part for part in _parts(item) if part.get("type") == "compaction"]


def _is_summary(item: RecordedMessage) -> bool:
    info = object_at(item.value, "info")
    return info.get("role") == "assistant" and info.get("summary") is True


def _used(item: RecordedMessage) -> RecordedUsage:
    """The tokens a reply reports; its `input` leaves out what the cache served or took."""
    fresh, said, thought, read, written = (
        count(member_at(item.value, f"info.tokens.{name}"))
        for name in ("input", "output", "reasoning", "cache.read", "cache.write")
    )
    return RecordedUsage(fresh + read + written, read, said + thought, written)


def _text(item: RecordedMessage) -> str:
    return "\n\n".join(filter(None, map(_said, _parts(item))))


def _said(part: dict[str, Any]) -> str:
    """The text of a part; a file is named, unless its content was added as a text."""
    if part.get("type") == "text" and not part.get("ignored"):
        return text_at(part, "text")
    if part.get("type") == "file":
        return f"[file omitted: {text_at(part, 'filename', 'mime') or 'no name'}]"
    return ""


def _steps(item: RecordedMessage) -> list[list[dict[str, Any]]]:
    """The parts of each request: older releases keep several in one message."""
    steps: list[list[dict[str, Any]]] = [[]]
    for part in _parts(item):
        if part.get("type") == "step-start":
            steps.append([])
        else:
            steps[-1].append(part)
    return steps


def _step(item: RecordedMessage, step: list[dict[str, Any]]) -> Iterator[Event]:
    """A reply, and behind it the results that its calls have."""
    spoken: list[Speech | Reasoning | ToolCall] = []
    results: list[Result] = []
    for part in step:
        if part.get("type") == "tool":
            id, name, state = text_at(part, "callID"), text_at(part, "tool"), part.get("state")
            if not (id and name and isinstance(state, dict)):
                raise item.bad("a part of a tool lacks its `tool`, `callID` or `state`")
            spoken.append(ToolCall(id, name, compact(state.get("input") or {})))
            if (status := str(state.get("status"))) in ENDED:
                text = text_at(state, ENDED[status])
                results.append(Result(id, text, status == "error", item.index))
        elif part.get("type") == "reasoning" and part.get("text"):
            spoken.append(Reasoning(str(part["text"])))
        elif text := _said(part):
            spoken.append(Speech(text))
    if spoken:
        model = text_at(item.value, "info.modelID")
        yield Reply(tuple(spoken), model, _used(item).input, item.index)
    yield from results


IMPORTER = Importer("opencode", accepts, events, facts)
