"""One request of a client and its answer, through the context of its conversation.

Theory of operation. The conversation is locked while a request's list is taken in, and unlocked
before the provider is asked: an answer may stream for minutes, and a client that gave up asks again
meanwhile. The reply is not recorded here: the client lists it in its next request. Only a reply in
which the model called `page_in` or `recall` is recorded here, since the results of these calls
stand in no list, and only while no newer request of the conversation has come.

After a refusal for length, a smaller request is sent once. All else that the provider says goes to
the client as it came."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import httpx2
from anyio.to_thread import run_sync
from msgspec import Struct, field, json
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from loom.adapters.asking import ENDLESS, MOST
from loom.errors import LoomError
from loom.providers.formats import format_of
from loom.providers.formats.wire import Wire
from loom.serve.bodies import json_object
from loom.serve.chains import ListChains
from loom.serve.conversations import ServedConversation, may_offer_own_tools
from loom.serve.events import EventReader, ServerEvent
from loom.serve.forward import Headers, Upstream, client_headers, error_body, refusal_error
from loom.serve.one_reply import STREAMS, SplicedStream, join_replies, messages_of_reply
from loom.serve.request_purpose import ListedRequest, Purpose
from loom.text import encodable_value

REFUSED = 400
OVERTAKEN = "a newer request of this conversation came before the answer to this one"
# What a value of another shape than any provider sends raises.
ODD = (LoomError, TypeError, AttributeError, LookupError, ValueError, RecursionError)
EVENTS = "text/event-stream"


class Exchange(Struct):
    """A client's request, the conversation it belongs to, and the model's replies to it so far."""

    request: Request
    upstream: Upstream
    asked: ListedRequest
    conversation: ServedConversation
    inside: Callable[[], None]  # counts a request the client did not make
    chains: ListChains | None = None  # where the conversation is known by its list alone
    beside: bytes = b""  # what such lists must have alike
    made: Wire = field(default_factory=dict)  # what the provider is sent
    revision: int = 0  # the number of that in its conversation
    replies: list[Wire] = field(default_factory=list)  # less the calls answered here

    async def make(self, fixed: int) -> None:
        """Make the body for the provider. Its instructions and tools take `fixed` tokens."""
        held = self.conversation
        async with held.lock:
            self.made, self.revision = await run_sync(held.next, self.asked, fixed), held.revision

    async def answer(self, stack: AsyncExitStack) -> Response:
        """Return the response for the client. `stack` keeps the conversation open; the end of a
        streamed response closes `stack`."""
        try:
            response = await self._send(self.made)
        except httpx2.HTTPStatusError as refused:
            again = await self._smaller_request(refused)
            if again is None:
                return _refusal_response(refused)
            self.inside()
            try:
                response = await self._send(again)
            except httpx2.HTTPStatusError as twice:
                return _refusal_response(twice)
        if EVENTS in response.headers.get("content-type", ""):
            events = self._stream_bytes(response, stack.pop_all())
            return _with_headers(
                StreamingResponse(events, response.status_code), client_headers(response)
            )
        return await self._whole_response(response)

    async def _send(self, made: Wire) -> httpx2.Response:
        """Send a body to the provider and return the response. Raises httpx2.HTTPStatusError for an
        error response."""
        data = json.encode(made)
        response = await self.upstream.send(self.request, self.asked.api.format, data, made=True)
        if response.status_code >= REFUSED:
            try:
                await response.aread()
            finally:
                await response.aclose()
            raise refusal_error(response)
        return response

    async def _smaller_request(self, refused: httpx2.HTTPStatusError) -> Wire | None:
        """Return a smaller body to send after the provider refused a body as too long. Return None
        after any other refusal, or if the conversation has a newer request."""
        held = self.conversation
        async with held.lock:
            if held.revision != self.revision or self.asked.kind is not Purpose.MAIN:
                return None
            try:
                await run_sync(held.overflowed, refused)
                return await run_sync(self._next_turn_request)
            except (httpx2.HTTPStatusError, LoomError):
                return None

    def _next_turn_request(self) -> Wire:
        """Return the body for the provider that holds the context's next turn."""
        return self.conversation.request(self.asked, self.conversation.ctx.turn())

    # Streams

    async def _stream_bytes(
        self, response: httpx2.Response, stack: AsyncExitStack
    ) -> AsyncIterator[bytes]:
        """Yield the bytes of the client's stream, which goes on after calls of Loom's tools with
        the model's next reply."""
        own = self._own_tool_names()
        spliced = STREAMS[self.asked.api.format](own, self.conversation.own_id)
        async with stack:
            for _ in range(MOST):
                spliced.begin()
                async for data in self._pass_events(
                    response, spliced, bool(own) or self._is_anthropic()
                ):
                    yield data
                again = await self._go_on_after_stream(spliced)
                if again is None:
                    break
                response = again
            else:
                await response.aclose()
                spliced.ending.clear()  # a model that calls Loom's tools alone goes round
            for event in spliced.ending:
                yield event.raw

    async def _pass_events(
        self, response: httpx2.Response, spliced: SplicedStream, changed: bool
    ) -> AsyncIterator[bytes]:
        """Yield the bytes of one reply's stream for the client: as they came or, if `changed` is
        True, of the events to show to the client."""
        reader = EventReader()
        try:
            async for data in response.aiter_raw():
                shown: list[ServerEvent] = []
                for event in reader.take(data):
                    try:
                        shown += [*spliced.take(event)]
                    except ODD:  # one that nobody can read is shown as it came
                        shown.append(event)
                if changed:
                    for event in shown:
                        yield event.raw
                else:
                    yield data
            if changed and (rest := reader.rest()):
                yield rest
        finally:
            await response.aclose()
        if not changed:
            spliced.ending.clear()

    async def _go_on_after_stream(self, spliced: SplicedStream) -> httpx2.Response | None:
        """Take in a streamed reply and answer its calls of Loom's tools. Return the provider's
        response to the next request, None if no next request is sent."""
        try:
            return await self._go_on_after_reply(
                encodable_value(spliced.reply.reply()), spliced.hidden > 0
            )
        except ODD:  # broken off, or none: the client sees that as well as we do
            if spliced.hidden or spliced.replies > 1:
                spliced.ending.clear()  # it is not given part of an answer for all of it
            return None

    # Both

    async def _go_on_after_reply(self, reply: Any, calls: bool) -> httpx2.Response | None:
        """Record the request size that a reply reports. If the reply has `calls` of Loom's tools,
        record and answer them. Return the provider's response to the next request, None if no next
        request is sent."""
        held, ctx = self.conversation, self.conversation.ctx
        self.replies.append(ctx.tools.without_own(reply) if self._own_tool_names() else reply)
        async with held.lock:
            if self.asked.kind is not Purpose.MAIN:
                if held.revision == self.revision:
                    await run_sync(partial(held.metered, self.asked.api, reply, summed=True))
                return None
            if held.revision != self.revision:
                if calls or len(self.replies) > 1:  # what was hidden cannot be answered any more
                    raise refusal_error(httpx2.Response(503, json=error_body(OVERTAKEN)))
                return None
            if not calls and len(self.replies) == 1:
                await run_sync(held.metered, self.asked.api, reply)
                self._note_client_list()
                return None
            await run_sync(held.replied, self.asked.api, reply)
            if ctx.calls or ctx.done:
                self._note_spliced()
                self._note_client_list()
                return None
            made = await run_sync(self._next_turn_request)
        self.inside()
        return await self._send(made)

    def _note_client_list(self) -> None:
        """Remember the list that the client will send next, to recognize its conversation."""
        if self.chains is not None:
            format, held = self.asked.api.format, self.conversation
            listed = [
                *self.asked.taken.items,
                *messages_of_reply(format, join_replies(format, self.replies)),
            ]
            self.chains.replied(held.name, listed, self.beside, held.owner)

    def _note_spliced(self) -> None:
        """Note which reply of the model belongs to the message that the client is shown."""
        format, held = self.asked.api.format, self.conversation
        if format == "responses":
            for one in self.replies[:-1]:
                for item in messages_of_reply(format, one):
                    held.note_spliced(item, None)
        elif len(self.replies) > 1:
            (shown,), (last,) = (
                messages_of_reply(format, one)
                for one in (join_replies(format, self.replies), self.replies[-1])
            )
            if shown != last:
                held.note_spliced(shown, last)

    def _is_anthropic(self) -> bool:
        """Return True for a request to Anthropic's API."""
        return self.asked.api.format == "anthropic"

    def _own_tool_names(self) -> set[str]:
        """Return the names of Loom's tools, none if they may not be added to this request."""
        # In a summary too: a call there is answered by nobody, but its client knows no such tool.
        return self.conversation.ctx.tools.own if may_offer_own_tools(self.asked.body) else set()

    # Replies that come whole

    async def _whole_response(self, response: httpx2.Response) -> Response:
        """Return the response for a client that does not stream, after all calls of Loom's tools
        are answered."""
        while True:
            try:
                content = await response.aread()
            finally:
                await response.aclose()
            headers, status = client_headers(response, whole=True), response.status_code
            reply = json_object(content)
            if reply is None:
                return _with_headers(Response(content, status), headers)
            try:
                called = format_of(self.asked.api.format).decode(reply).calls
                calls = not self._own_tool_names().isdisjoint(call.name for call in called)
                again = await self._go_on_after_reply(reply, calls)
            except httpx2.HTTPStatusError as refused:
                return _refusal_response(refused)
            except ODD:  # no reply of its API: what the provider said is the client's to judge
                return _with_headers(Response(content, status), headers)
            if again is None:
                break
            if len(self.replies) >= MOST:
                await again.aclose()
                return Response(json.encode(error_body(ENDLESS)), 502)
            response = again
        shown = join_replies(self.asked.api.format, self.replies)
        # Anthropic's clients join replies with the same id.
        id = shown.get("id") if self._is_anthropic() else None
        own_id = self.conversation.own_id(id) if isinstance(id, str) else id
        if calls or len(self.replies) > 1 or own_id != id:
            content = json.encode({**shown, "id": own_id} if own_id != id else shown)
        return _with_headers(Response(content, status), headers)


def _refusal_response(refused: httpx2.HTTPStatusError) -> Response:
    """Return a provider's error response, as it came, for the client."""
    given = refused.response
    return _with_headers(
        Response(given.content, given.status_code), client_headers(given, whole=True)
    )


def _with_headers(response: Response, headers: Headers) -> Response:
    """Return the response with these headers in place of its own headers of the same names."""
    known = {name for name, _ in headers}
    own = [(name, value) for name, value in response.raw_headers if name not in known]
    response.raw_headers = [*headers, *own]
    return response
