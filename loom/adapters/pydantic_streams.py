"""The streams of one step of a run of Pydantic AI, as one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import replace
from datetime import UTC, datetime
from functools import reduce
from operator import add
from typing import Any

from pydantic_ai.messages import ModelResponse, PartDeltaEvent, PartStartEvent, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.usage import RequestUsage

from loom.adapters.pydantic_messages import reply_of
from loom.live import Context
from loom.session.turn import Turn


class WindowedStream(StreamedResponse):
    """The events of a step's replies, less those of calls Loom answers; `get` is the last reply.

    A stream that breaks, or is left, leaves no record. One that is refused as too long, before it
    began, is asked for again, smaller.
    """

    def __init__(
        self,
        parameters: ModelRequestParameters,
        model: Model,
        context: Context,
        turn: Turn,
        ask: Callable[[Turn], Awaitable[StreamedResponse]],
    ) -> None:
        super().__init__(parameters)
        self._model, self._context, self._turn, self._ask = model, context, turn, ask
        self._began = datetime.now(UTC)
        self._streams: list[StreamedResponse] = []  # of each reply, the last may be under way

    async def _get_event_iterator(self) -> AsyncIterator[Any]:
        context, turn = self._context, self._turn
        while True:
            many, places = len(self._streams), dict[int, int]()
            begun = False
            try:
                stream = await self._ask(turn)
                self._streams.append(stream)
                async for event in stream:
                    begun = True
                    if self._shows(event, places):
                        told = replace(event, index=places[event.index])
                        self._parts_manager.apply_event(told)
                        yield told
            except Exception as error:
                if begun:
                    raise
                context.overflowed(error)  # raises any other error again
                del self._streams[many:]
                turn = context.turn()
                continue
            response = stream.get()
            self.provider_response_id = response.provider_response_id
            self.canonical_system = response.canonical_system
            if response.state != "complete":
                return
            context.reply(reply_of(response))
            if context.calls or context.done:
                return
            turn = context.turn()

    def _shows(self, event: Any, places: dict[int, int]) -> bool:
        """True for what the run is to see; `places` are the parts of this reply among all.

        What tells that a part has ended is made anew of these.
        """
        if isinstance(event, PartStartEvent):
            own = (
                isinstance(event.part, ToolCallPart)
                and event.part.tool_name in self._context.tools.own
            )
            if not own:
                places.setdefault(event.index, len(self._parts_manager.get_parts()))
            return not own
        return isinstance(event, PartDeltaEvent) and event.index in places

    @property
    def _stream(self) -> StreamedResponse | None:
        return self._streams[-1] if self._streams else None

    def get(self) -> ModelResponse:
        """The reply that is under way, or the last one."""
        if self._stream is None:
            return super().get()
        response = shown(self._stream.get(), self._context.tools.own)
        whole = self._finished or response.state != "complete"
        state = response.state if whole else "incomplete"
        return replace(response, state=state, usage=self.usage)

    @property
    def usage(self) -> RequestUsage:
        """That of all requests made so far."""
        return reduce(add, (one.usage for one in self._streams), RequestUsage())

    async def close_stream(self) -> None:
        """Close the stream that is under way."""
        if self._stream is not None:
            await self._stream.cancel()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """What closing the stream that is under way may raise."""
        stream = self._stream
        errors = super().get_stream_cancel_errors()
        return errors if stream is None else (*errors, *stream.get_stream_cancel_errors())

    @property
    def model_name(self) -> str:
        """The model that answers."""
        return self._model.model_name if self._stream is None else self._stream.model_name

    @property
    def provider_name(self) -> str | None:
        """Who serves it."""
        return self._model.system if self._stream is None else self._stream.provider_name

    @property
    def provider_url(self) -> str | None:
        """Where it is served."""
        return self._model.base_url if self._stream is None else self._stream.provider_url

    @property
    def timestamp(self) -> datetime:
        """When the reply began."""
        return self._began if self._stream is None else self._stream.timestamp


def shown(response: ModelResponse, own: Collection[str]) -> ModelResponse:
    """The reply less its calls of `own` tools."""
    parts = [p for p in response.parts if not (isinstance(p, ToolCallPart) and p.tool_name in own)]
    return replace(response, parts=parts)
