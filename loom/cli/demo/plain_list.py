"""The same session as a plain list of messages, from which nothing ever leaves: its tokens."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from loom.inputs import Reply, Speech, ToolCall
from loom.providers.counts.counter import Counter
from loom.providers.counts.sizes import TOOL
from loom.providers.formats import format_of
from loom.providers.formats.wire import compact
from loom.providers.schema import ToolSchema
from loom.replay.audit import message_tokens

Message = dict[str, Any]


class PlainList:
    """Counts what an agent without Loom would send: every message, whole, in every request.

    `tokens` are those of the next request, counted as the audit counts Loom's own requests; the
    calls that bring text back are left out, since such an agent has no need of them. `full_at` is
    the step after which the next request is over `capacity` tokens, 0 while it is not.
    """

    def __init__(self, count: Counter, capacity: int, tools: Collection[ToolSchema]) -> None:
        self.tokens = 0
        self.full_at = 0
        self._count = count
        self._capacity = capacity
        self._names = {tool.name for tool in tools}
        encode = format_of("openai").tool
        self.tokens += sum(TOOL + count(compact(encode(tool))) for tool in tools)

    def said(self, role: str, text: str) -> None:
        """Count a message of the system or the user."""
        self._add({"role": role, "content": text})

    def step(self, number: int, reply: Reply, results: Collection[tuple[str, str]]) -> None:
        """Count a step: the reply, and its results as (id of the call, text)."""
        calls = [call for call in reply.calls if call.name in self._names]
        if reply.calls and not calls:
            return
        said = "".join(part.text for part in reply.parts if isinstance(part, Speech))
        message: Message = {"role": "assistant", "content": said}
        self._add({**message, "tool_calls": [_encoded(call) for call in calls]})
        for id, text in results:
            self._add({"role": "tool", "tool_call_id": id, "content": text})
        if not self.full_at and self.tokens > self._capacity:
            self.full_at = number

    def _add(self, message: Message) -> None:
        self.tokens += message_tokens(message, self._count)


def _encoded(call: ToolCall) -> Message:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}
