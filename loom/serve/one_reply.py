"""Several replies of the model, made into one message for the client.

Where a reply calls Loom's tools, the proxy answers the calls and asks the model again. The client
sees neither the calls nor that there were several replies: events that end a message are held back
until the last reply, the indexes of parts go on from one reply to the next, and the usage is what
`combined_usage` makes of all replies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from loom.providers.formats.stream.collected import CollectedStream
from loom.providers.formats.wire import Wire
from loom.serve.events import DONE, ServerEvent

WRITTEN = ("output", "completion")  # in the names of counts of what a model wrote


class SplicedStream(ABC):
    """One stream for the client, made of several streamed replies. `own` are the names of Loom's
    tools. `own_id` is a function from a reply's id to the id that the client is shown."""

    def __init__(self, own: Collection[str], own_id: Callable[[str], str] = str) -> None:
        self.own, self.own_id = own, own_id
        self.replies = 0
        self.hidden = 0  # calls of Loom's in the reply that came last
        self.reply = CollectedStream()
        self.ending: list[ServerEvent] = []  # what ends the message, held back
        self._places: dict[Any, int | None] = {}  # of a reply's parts among those shown
        self._shown = 0
        self._usage: dict[str, Any] = {}  # of the replies before this one
        self._now: dict[str, Any] = {}  # of this one, as it was told last

    def begin(self) -> None:
        """Begin the next reply. Give its events to `take`."""
        self.replies += 1
        self._usage, self._now = combined_usage(self._usage, self._now or None) or {}, {}
        self.reply, self.hidden = CollectedStream(), 0
        self.ending, self._places = [], {}

    def take(self, event: ServerEvent) -> Iterator[ServerEvent]:
        """Take in an event of a reply. Yield the events to show to the client."""
        if event.data is not None:
            self.reply.take(event.data)
            yield from self._shown_events(event)
        elif DONE.encode() in event.raw:
            self.ending.append(event)
        else:
            yield event

    @abstractmethod
    def _shown_events(self, event: ServerEvent) -> Iterator[ServerEvent]:
        """Yield the events to show to the client for an `event` that has a JSON value."""

    def _place_part(self, part: Any, name: str | None) -> int | None:
        """Return the index that the client is shown for the new part of a reply with the index
        `part`, None for a call of Loom's tool (it is hidden). `name` is the called tool's name,
        None for a part that is no call."""
        if name in self.own and name is not None:
            self._places[part] = None
            self.hidden += 1
        else:
            self._places[part] = self._shown
            self._shown += 1
        return self._places[part]

    def _sum_usage(self, usage: Any) -> dict[str, Any]:
        """Take in a report of the current reply's usage, and return the usage of all replies so
        far. The last report of a reply counts."""
        self._now = usage if isinstance(usage, dict) else self._now
        found: dict[str, Any] = combined_usage(self._usage, self._now)
        return found


def combined_usage(before: Any, now: Any) -> Any:
    """Return one usage for several replies: `before` for all earlier replies, `now` for the next
    reply. Output tokens are added up. Input tokens are those of `now` alone: clients read them as
    the length of their list, and would compact because of a sum."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return before if now is None else now
    written = {key: before[key] for key in before if any(word in key for word in WRITTEN)}
    made = {**now, **{key: sum_values(written[key], now.get(key)) for key in written}}
    if isinstance(now.get("total_tokens"), int):
        tokens = (written.get(f"{word}_tokens") or 0 for word in WRITTEN)
        made["total_tokens"] = now["total_tokens"] + sum(tokens)
    return made


def sum_values(one: Any, two: Any) -> Any:
    """Return the sum of two JSON values: numbers are added, objects member by member. Of any other
    values, the second is returned, or the first if the second is None."""
    if isinstance(one, dict) and isinstance(two, dict):
        return {key: sum_values(one.get(key), two.get(key)) for key in {**one, **two}}
    numbers = isinstance(one, int | float) and isinstance(two, int | float)
    return one + two if numbers else (one if two is None else two)


class AnthropicStream(SplicedStream):
    """A SplicedStream for the Messages API. Its parts are content blocks, known by their index."""

    def _shown_events(self, event: ServerEvent) -> Iterator[ServerEvent]:
        data = event.data
        kind = data.get("type")
        if kind == "message_start":
            message = data.get("message") or {}
            self._sum_usage(message.get("usage"))
            if self.replies == 1:
                if isinstance(id := message.get("id"), str):
                    data = {**data, "message": {**message, "id": self.own_id(id)}}
                yield event.changed(data)
        elif kind == "content_block_start":
            block = data.get("content_block") or {}
            name = block.get("name") if block.get("type") == "tool_use" else None
            yield from self._placed_event(event, self._place_part(data.get("index"), name))
        elif kind in ("content_block_delta", "content_block_stop"):
            yield from self._placed_event(event, self._places.get(data.get("index")))
        elif kind == "message_delta":
            # Output is told here; input was told where the message began, and may be again.
            self.ending.append(event.changed({**data, "usage": self._sum_usage(data.get("usage"))}))
        elif kind == "message_stop":
            self.ending.append(event)
        else:
            yield event

    def _placed_event(self, event: ServerEvent, place: int | None) -> Iterator[ServerEvent]:
        """Yield a block's event with the index `place`, nothing if `place` is None."""
        if place is not None:
            yield event.changed({**event.data, "index": place})


class OpenAIStream(SplicedStream):
    """A SplicedStream for Chat Completions. Its parts are tool calls, known by their index in
    `delta.tool_calls`. Only the first choice is read."""

    _id: Any = None

    def _shown_events(self, event: ServerEvent) -> Iterator[ServerEvent]:
        data = event.data
        self._id = self._id or data.get("id")
        choices = data.get("choices") or []
        choice = choices[0] if choices else {}
        delta = dict(choice.get("delta") or {})
        if delta.get("tool_calls"):
            calls = [call for call in map(self._placed_call, delta["tool_calls"]) if call]
            delta = {**delta, "tool_calls": calls} if calls else _without_key(delta, "tool_calls")
        if self.replies > 1:
            delta = _without_key(delta, "role")
        # Some servers tell usage with every piece: it ends nothing there.
        ends = choice.get("finish_reason") is not None or (bool(data.get("usage")) and not choices)
        if ends:
            usage = {"usage": self._sum_usage(data["usage"])} if data.get("usage") else {}
            data = {**data, **usage}
        unchanged = delta == (choice.get("delta") or {}) and self.replies == 1 and not ends
        if choices:
            data = {**data, "choices": [{**choice, "delta": delta}]}
        made = event if unchanged else event.changed({**data, "id": self._id})
        if ends:
            self.ending.append(made)
        elif not choices or delta or unchanged:
            yield made

    def _placed_call(self, call: dict[str, Any]) -> dict[str, Any] | None:
        """Return a piece of a call with the index that the client is shown, None if hidden."""
        part = call.get("index")
        if part not in self._places:
            self._place_part(part, (call.get("function") or {}).get("name"))
        place = self._places[part]
        return None if place is None else {**call, "index": place}


class ResponsesStream(SplicedStream):
    """A SplicedStream for the Responses API. Its parts are output items, known by their index."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._first: dict[str, Any] = {}
        self._items: list[Any] = []
        self._number = 0

    def _shown_events(self, event: ServerEvent) -> Iterator[ServerEvent]:
        data = event.data
        kind = str(data.get("type"))
        if kind in ("response.created", "response.in_progress", "response.queued"):
            self._first = self._first or data.get("response") or {}
            if self.replies == 1:
                yield self._numbered_event(event, data)
            return
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            self.ending.append(self._end_event(event, data))
            return
        part = data.get("output_index")
        if kind == "response.output_item.added":
            item = data.get("item") or {}
            called = item.get("name") if item.get("type") == "function_call" else None
            self._place_part(part, called)
        place = self._places.get(part, self._shown) if part is not None else None
        if part is not None and place is None:
            return
        if kind == "response.output_item.done":
            self._items.append(data.get("item"))
        yield self._numbered_event(event, data if part is None else {**data, "output_index": place})

    def _end_event(self, event: ServerEvent, data: dict[str, Any]) -> ServerEvent:
        """Return the event that ends the response, with the id of the first reply, all items that
        were shown, and the usage of all replies."""
        response = dict(data.get("response") or {})
        usage = self._sum_usage(response.get("usage"))
        if self.replies > 1 or self.hidden:
            response |= {"id": self._first.get("id", response.get("id")), "output": self._items}
            response |= {"usage": usage} if usage else {}
        return self._numbered_event(event, {**data, "response": response})

    def _numbered_event(self, event: ServerEvent, data: dict[str, Any]) -> ServerEvent:
        """Return an event with the value `data` and its sequence number in the client's stream."""
        number, self._number = self._number, self._number + 1
        if "sequence_number" in data:
            data = {**data, "sequence_number": number}
        return event.changed(data)


def _without_key(held: dict[str, Any], key: str) -> dict[str, Any]:
    """Return a copy of a dict without a key."""
    return {name: value for name, value in held.items() if name != key}


STREAMS: dict[str, type[SplicedStream]] = {
    "anthropic": AnthropicStream,
    "openai": OpenAIStream,
    "responses": ResponsesStream,
}


# Replies that come whole


def join_replies(format: str, replies: Sequence[Wire]) -> Wire:
    """Return several whole replies, without calls of Loom's tools, as one reply."""
    last = replies[-1]
    if len(replies) == 1:
        return last
    usage: Any = None
    for one in replies:
        usage = combined_usage(usage, one.get("usage"))
    made = {**last, **({"usage": usage} if usage else {})}
    return {**made, "id": replies[0].get("id", last.get("id")), **_JOIN[format](replies)}


def _join_openai(replies: Sequence[Wire]) -> Wire:
    """Return `{"choices": […]}` for several replies as one: their texts joined, and the calls of
    the last reply."""
    said = [one["choices"][0]["message"] for one in replies]
    text = "".join(one["content"] for one in said if isinstance(one.get("content"), str))
    choice = replies[-1]["choices"][0]
    return {"choices": [{**choice, "message": {**said[-1], "content": text or None}}]}


def _concatenate(key: str) -> Callable[[Sequence[Wire]], Wire]:
    """Return a function that takes several replies and returns `{key: list}`, where the list joins
    the lists that the replies have under `key`."""
    return lambda replies: {key: [part for one in replies for part in one.get(key) or ()]}


_JOIN: dict[str, Callable[[Sequence[Wire]], Wire]] = {
    "anthropic": _concatenate("content"),
    "openai": _join_openai,
    "responses": _concatenate("output"),
}


def messages_of_reply(format: str, reply: Wire) -> list[Wire]:
    """Return the messages by which a client lists a reply in its next request."""
    if format == "responses":
        return [*(reply.get("output") or ())]
    if format == "openai":
        return [{"role": "assistant", **reply["choices"][0]["message"]}]
    return [{"role": "assistant", "content": reply.get("content") or []}]
