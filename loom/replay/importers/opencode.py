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
from loom.replay.importers.facts import RecordedFacts, total
from loom.replay.importers.talks import Importer, RecordedMessage, Talk, readable

_ENDED = ("completed", "error")


def accepts(talk: Talk) -> bool:
    """Tell whether a message keeps its parts beside who speaks."""
    return any("role" in _info(item) and "parts" in item.value for item in talk.items)


def events(talk: Talk, notes: list[str]) -> Iterator[Event]:
    """Yield the events of a session in recorded order; a summary is a turn of the user.

    So the model was given it in place of what stands before.
    """

    def read(item: RecordedMessage) -> Iterator[Event]:
        if not isinstance(item.value.get("parts"), list):
            raise item.bad("it has no list of `parts`")
        role = _info(item).get("role")
        if any(part.get("type") == "compaction" for part in _parts(item)):
            notes.append(f"message {item.index}: the mark of a compaction was dropped")
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
    before, trigger = 0, ""
    for item in talk.items:
        marks = [part for part in _parts(item) if part.get("type") == "compaction"]
        if marks:
            trigger = "auto" if marks[-1].get("auto") else "manual"
        if _info(item).get("role") != "assistant":
            continue
        used = _used(item)
        if _is_summary(item):
            asked = ClientCompaction(item.index, before, 0, used.input, used.output, trigger)
            compactions.append(replace(asked, summary=_text(item)))
        else:
            before = used.input + used.output
    return RecordedFacts("", total(map(_used, talk.items)), tuple(compactions))


def _info(item: RecordedMessage) -> dict[str, Any]:
    info = item.value.get("info")
    return info if isinstance(info, dict) else {}


def _parts(item: RecordedMessage) -> list[dict[str, Any]]:
    given = item.value.get("parts")
    return [part for part in given if isinstance(part, dict)] if isinstance(given, list) else []


def _is_summary(item: RecordedMessage) -> bool:
    return _info(item).get("role") == "assistant" and _info(item).get("summary") is True


def _used(item: RecordedMessage) -> RecordedUsage:
    """The tokens a reply reports; its `input` leaves out what the cache served or took."""
    tokens = _info(item).get("tokens")
    tokens = tokens if isinstance(tokens, dict) else {}
    cache = tokens.get("cache")
    cache = cache if isinstance(cache, dict) else {}
    read, written = count(cache.get("read")), count(cache.get("write"))
    output = count(tokens.get("output")) + count(tokens.get("reasoning"))
    return RecordedUsage(count(tokens.get("input")) + read + written, read, output, written)


def _text(item: RecordedMessage) -> str:
    """The texts of a message; a file is named, unless its content was added as a text."""
    return "\n\n".join(text for part in _parts(item) if (text := _said(part)))


def _said(part: dict[str, Any]) -> str:
    if part.get("type") == "text" and not part.get("ignored"):
        return str(part.get("text") or "")
    if part.get("type") == "file":
        return f"[file omitted: {part.get('filename') or part.get('mime') or 'no name'}]"
    return ""


def _steps(item: RecordedMessage) -> list[list[dict[str, Any]]]:
    """The parts of each request: older releases keep several in one message."""
    steps: list[list[dict[str, Any]]] = [[]]
    for part in _parts(item):
        if part.get("type") == "step-start":
            steps.append([])
        else:
            steps[-1].append(part)
    return [step for step in steps if step]


def _step(item: RecordedMessage, step: list[dict[str, Any]]) -> Iterator[Event]:
    """A reply, and behind it the results that its calls have."""
    spoken: list[Speech | Reasoning | ToolCall] = []
    results: list[Result] = []
    for part in step:
        kind = part.get("type")
        if kind == "tool":
            call, result = _called(item, part)
            spoken.append(call)
            results += [result] if result else []
        elif kind == "reasoning" and part.get("text"):
            spoken.append(Reasoning(str(part["text"])))
        elif text := _said(part):
            spoken.append(Speech(text))
    if spoken:
        model = str(_info(item).get("modelID") or "")
        yield Reply(tuple(spoken), model, _used(item).input, item.index)
    yield from results


def _called(item: RecordedMessage, part: dict[str, Any]) -> tuple[ToolCall, Result | None]:
    state = part.get("state")
    if not isinstance(state, dict) or not part.get("callID") or not part.get("tool"):
        raise item.bad("a part of a tool lacks its `tool`, `callID` or `state`")
    call = ToolCall(str(part["callID"]), str(part["tool"]), compact(state.get("input") or {}))
    status = state.get("status")
    if status not in _ENDED:
        return call, None
    text = str(state.get("output" if status == "completed" else "error") or "")
    return call, Result(call.id, text, status == "error", item.index)


IMPORTER = Importer("opencode", accepts, events, facts)
