"""One reply of the OpenAI Agents SDK as it streams: what the run sees, and what is held back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from agents import ModelResponse, Usage

from loom.live import Context
from loom.providers.formats.responses import CALLS

BEGINS = ("response.created", "response.in_progress")
COMPLETED = "response.completed"
FAILED = ("response.failed", "response.incomplete", "error", "response.error")


class StreamedReply:
    """The events of one reply. Calls of `own` tools are not shown; where the run saw `again` how a
    reply begins, it is not shown that either. `end` is the event that ends it, once there is one.
    """

    def __init__(self, own: Collection[str], *, again: bool) -> None:
        self.end: Any = None
        self._own = own
        self._unshown = BEGINS if again else ()
        self._hidden: set[int] = set()  # where the calls Loom answers stand
        self._items: list[Any] = []

    def shows(self, event: Any) -> bool:
        """Take an event; true when the run is to see it now."""
        if event.type == COMPLETED or event.type in FAILED:
            self.end = event
            return False
        if event.type == "response.output_item.done":
            self._items.append(event.item)
        index = getattr(event, "output_index", None)
        if index is not None and hidden(getattr(event, "item", None), self._own):
            self._hidden.add(index)
        return event.type not in self._unshown and index not in self._hidden

    @property
    def failures(self) -> list[Any]:
        """The event that says the reply failed, where there is one."""
        return [] if self.end is None or self.end.type == COMPLETED else [self.end]

    def response(self) -> ModelResponse | None:
        """The whole reply, None for a stream that did not complete one."""
        if self.end is None or self.end.type != COMPLETED:
            return None
        told = self.end.response
        size = told.usage.input_tokens if told.usage is not None else 0
        return ModelResponse(told.output or self._items, Usage(input_tokens=size), told.id)

    def ended(self, usages: Sequence[Any]) -> Any:
        """The event that ends it, with what the run is to see and the usage of all requests."""
        told = self.end.response
        output = [one for one in told.output or self._items if not hidden(one, self._own)]
        counted = [usage for usage in usages if usage is not None]
        usage = _sum(counted) if len(counted) > 1 else told.usage
        response = told.model_copy(update={"output": output, "usage": usage})
        return self.end.model_copy(update={"response": response})


def hidden(item: Any, own: Collection[str]) -> bool:
    """True for a call that Loom answers."""
    return getattr(item, "type", "") in CALLS and getattr(item, "name", "") in own


def _sum(counted: Sequence[Any]) -> Any:
    """The sum of objects whose members are numbers, or such objects."""
    total = counted[0]
    for one in counted[1:]:
        found = {name: (getattr(total, name), value) for name, value in one if value is not None}
        update = {
            name: _sum((held, value)) if hasattr(value, "model_copy") else (held or 0) + value
            for name, (held, value) in found.items()
        }
        total = total.model_copy(update=update)
    return total


def shortened(context: Context, error: Exception) -> bool:
    """True where the model said "too long" and the context made room for another request.

    Raises OverCapacity when it says so again.
    """
    try:
        context.overflowed(error)
    except Exception as raised:
        if raised is error:
            return False
        raise
    return True
