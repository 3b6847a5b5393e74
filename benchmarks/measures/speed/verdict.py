"""What a keeper's requests were worth: pairs of calls and results, the budget, what still stands.

Pairs are judged by the laws of Chat Completions on a skeleton of the request: roles, ids of calls
and of results, and no more, so that whatever those laws find there is a broken pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from loom.providers.counts import counter_for
from loom.providers.formats.laws import Laws
from loom.providers.render.message import CallBlock, Message, ResultBlock
from loom.replay.cost import Meter
from loom_bench.sessions.needle import message_texts
from loom_bench.sessions.planted import RULE, PlantedItem

FILLED = "."  # a text that is not blank


class RequestVerdict:
    """Counts over the requests of one life.

    `broken`: calls without their result and results without their call, each in every request it
    stands in (a request without messages is one); `refused`: requests with one or more; `over`:
    requests larger than the capacity in tokens, tools not counted.
    """

    def __init__(self, capacity: int) -> None:
        self.broken = self.refused = self.over = 0
        self._capacity = capacity
        self._laws = Laws("openai")
        self._meter = Meter(counter_for())
        self._ids: dict[str, str] = {}

    def judge(self, request: Sequence[Message]) -> None:
        """Look at the next request of the life."""
        found = self._laws.check({"messages": [self._bare(message) for message in request]})
        self.broken += len(found)
        self.refused += bool(found)
        self.over += self._meter.messages(request) > self._capacity

    def _bare(self, message: Message) -> dict[str, Any]:
        if message.role == "tool":
            results = (block for block in message.blocks if isinstance(block, ResultBlock))
            id = next((block.call_id for block in results), "")
            return {"role": "tool", "content": FILLED, "tool_call_id": self._id(id)}
        calls = [self._id(block.id) for block in message.blocks if isinstance(block, CallBlock)]
        if not calls:
            role = "assistant" if message.role == "assistant" else "user"
            return {"role": role, "content": FILLED}
        function = {"name": "call", "arguments": "{}"}
        made = [{"id": id, "type": "function", "function": function} for id in calls]
        return {"role": "assistant", "content": FILLED, "tool_calls": made}

    def _id(self, id: str) -> str:
        """A short id for an id: their length is no matter of pairs."""
        return self._ids.setdefault(id, f"call_{len(self._ids)}")


def standing(items: Iterable[PlantedItem], request: Sequence[Message]) -> dict[str, int]:
    """How many of the rules, and how many of the facts, a request shows."""
    shown = list(message_texts(request))
    held = [item.kind == RULE for item in items if any(map(item.stands_in, shown))]
    return {"rules": sum(held), "facts": len(held) - sum(held)}
