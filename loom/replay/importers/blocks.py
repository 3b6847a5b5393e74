"""Parts of replies that several recorded shapes share: blocks of content, and calls by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from loom.inputs import Reasoning, Speech, ToolCall
from loom.providers.formats.wire import compact, part_text, parts
from loom.replay.importers.talks import RecordedMessage

# Blocks of reasoning, and the member that holds their text.
_THOUGHTS = {"thinking": "thinking", "reasoning": "reasoning", "redacted_thinking": ""}
# Blocks that repeat a call the message lists elsewhere.
_CALLS = frozenset(
    {"tool_use", "tool_call", "function_call", "input_json_delta", "invalid_tool_call"}
)


def spoken(content: object) -> Iterator[Speech | Reasoning]:
    """Yield what the content of a reply says and thinks; blocks of calls are left to `called`."""
    for part in parts(content):
        kind = str(part.get("type"))
        if kind in _CALLS:
            continue
        if kind in _THOUGHTS:
            if text := str(part.get(_THOUGHTS[kind]) or part.get("text") or ""):
                yield Reasoning(text)
        elif text := part_text(part):
            yield Speech(text)


class CallNames(Struct, frozen=True):
    """Under which members a recorded call has its name and its arguments."""

    name: str = "name"
    arguments: str = "arguments"


NAMED = CallNames()


def called(item: RecordedMessage, calls: object, names: CallNames = NAMED) -> Iterator[ToolCall]:
    """Yield the calls of a reply; arguments that are no text become JSON. Raises BadSession."""
    if not isinstance(calls, list | None):
        raise item.bad("`tool_calls` is not a list")
    for call in calls or []:
        if not isinstance(call, dict) or not call.get("id") or not call.get(names.name):
            raise item.bad("a call has no `id` or no `name`")
        given: Any = call.get(names.arguments)
        arguments = given if isinstance(given, str) else compact({} if given is None else given)
        yield ToolCall(str(call["id"]), str(call[names.name]), arguments)
