"""A collector for streams of the Responses API: events about items, and at last the whole response.

https://platform.openai.com/docs/api-reference/responses-streaming. Takes the events of
`responses.create(stream=True)` and of the helper `responses.stream()`. The response in the last
event is the reply. Deltas are not read, since each item comes whole once it is done."""

from __future__ import annotations

from typing import Any

from loom.providers.formats.stream.chunks import field_of, stream_failed_error
from loom.providers.formats.wire import Wire, plain_value


class ResponsesCollector:
    """A collector for a response. `done` is True once the response is completed, or ended as
    incomplete."""

    def __init__(self) -> None:
        self.done = False
        self._response: Wire = {"object": "response"}
        self._items: dict[int, Any] = {}

    def take(self, chunk: object) -> None:
        """Add an event. Raises BrokenStream if it reports an error or a failed response."""
        response = field_of(chunk, "response")
        match field_of(chunk, "type"):
            case "response.failed" | "error":
                raise stream_failed_error(
                    field_of(response, "error") or field_of(chunk, "error") or chunk
                )
            case "response.created" | "response.completed" | "response.incomplete" as kind:
                told = plain_value(response)
                self._response |= told if isinstance(told, dict) else {}
                self.done = kind != "response.created"
            case "response.output_item.done":
                item, index = plain_value(field_of(chunk, "item")), field_of(chunk, "output_index")
                if isinstance(item, dict):
                    self._items[index if isinstance(index, int) else len(self._items)] = item

    def reply(self) -> Wire:
        """Return the response so far, as a dict."""
        output = self._response.get("output") or [item for _, item in sorted(self._items.items())]
        return {**self._response, "output": output}


def begins(chunk: object) -> bool:
    """Tell whether an event belongs to a Responses stream."""
    kind = field_of(chunk, "type")
    return isinstance(kind, str) and (kind == "error" or kind.startswith("response."))
