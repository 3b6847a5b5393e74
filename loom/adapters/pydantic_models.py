"""The model that a run of Pydantic AI asks. It asks the real model again while Loom answers calls,
and joins the streams of these replies into one.

The run prepares the first request of a step. This module prepares the following ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from operator import add
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RequestUsage

from loom.adapters.asking import ENDLESS, MOST
from loom.adapters.pydantic_messages import FORMAT, response_to_wire, wire_to_messages
from loom.errors import LoomError
from loom.live import Context
from loom.session.turn import Turn


@dataclass
class RunStep:
    """One step of a run. `turn` is the first turn to send. `seen` holds the framework's own objects
    for `wire_to_messages`. `only` has the system prompts that apply to this step only."""

    context: Context
    turn: Turn
    seen: dict[str, Any]
    only: list[Any]

    def messages(self, turn: Turn) -> list[ModelMessage]:
        """Return the messages of a turn's request, and the prompts that apply to this step only."""
        *before, last = wire_to_messages(turn.request(FORMAT, cache=False), self.seen)
        return [*before, replace(last, parts=[*last.parts, *self.only])]


class WindowedModel(WrapperModel):
    """A model that sends Loom's requests, and asks again while replies only call Loom's tools."""

    def __init__(self, wrapped: Model, step: RunStep) -> None:
        super().__init__(wrapped)
        self.step = step

    async def request(
        self, messages: list[ModelMessage], settings: Any, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """Return the reply without the calls that Loom answered, with the summed usage of all
        requests."""
        if isinstance(messages[-1], ModelResponse):
            return await self.wrapped.request(messages, settings, parameters)
        context, turn = self.step.context, self.step.turn
        spent = RequestUsage()
        for _ in range(MOST):
            given = self.messages_of_turn(turn, messages, parameters)
            try:
                response = await self.wrapped.request(given, settings, parameters)
            except Exception as error:
                context.overflowed(error)  # raises any other error again
            else:
                spent = spent + response.usage
                # The rest of one that is not whole is asked for by the run: it is taken in then.
                whole = response.state == "complete"
                if whole:
                    context.reply(response_to_wire(response))
                if not whole or context.calls or context.done:
                    return replace(response_without_calls(response, context.tools.own), usage=spent)
            turn = context.turn()
        raise LoomError(ENDLESS)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        settings: Any,
        parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Return a context manager for the reply's stream, without events of calls that Loom
        answers."""
        given = (settings, parameters, run_context)
        if isinstance(messages[-1], ModelResponse):
            async with self.wrapped.request_stream(messages, *given) as stream:
                yield stream
            return
        async with AsyncExitStack() as opened:

            async def ask(turn: Turn) -> StreamedResponse:
                asked = self.wrapped.request_stream(
                    self.messages_of_turn(turn, messages, parameters), *given
                )
                return await opened.enter_async_context(asked)

            yield WindowedStream(parameters, self.wrapped, self.step, ask)

    def messages_of_turn(
        self, turn: Turn, messages: list[ModelMessage], parameters: ModelRequestParameters
    ) -> list[ModelMessage]:
        """Return the messages to send for a turn. For the step's first turn, return `messages`."""
        if turn is self.step.turn:
            return messages
        return self.wrapped.prepare_messages(self.step.messages(turn), parameters)


def _stream_property(name: str, before: Callable[[Any], Any]) -> Any:
    """Return a property that reads the attribute `name` of the newest reply's stream, or
    `before(self)` before the first stream."""
    return property(lambda self: getattr(self._stream, name) if self._streams else before(self))


class WindowedStream(StreamedResponse):
    """The joined stream of a step's replies, without events of calls that Loom answers. If the
    stream breaks or is not read to the end, nothing is recorded."""

    def __init__(
        self,
        parameters: ModelRequestParameters,
        model: Model,
        step: RunStep,
        ask: Callable[[Turn], Awaitable[StreamedResponse]],
    ) -> None:
        super().__init__(parameters)
        self._model, self._step, self._ask = model, step, ask
        self._own = step.context.tools.own
        self._began = datetime.now(UTC)
        self._streams: list[StreamedResponse] = []  # of each reply, the last may be under way

    async def _get_event_iterator(self) -> AsyncIterator[Any]:
        """Yield the events that the run is to see, of each reply until a reply calls more than
        Loom's tools."""
        context, turn = self._step.context, self._step.turn
        for _ in range(MOST):
            many, places, begun = len(self._streams), dict[int, int](), False
            try:
                stream = await self._ask(turn)
                self._streams.append(stream)
                async for event in stream:
                    begun = True
                    if self._is_shown(event, places):
                        told = replace(event, index=places[event.index])
                        self._parts_manager.apply_event(told)
                        yield told
            except Exception as error:
                if begun:
                    raise
                context.overflowed(error)  # raises any other error again
                del self._streams[many:]
            else:
                response = stream.get()
                self.provider_response_id = response.provider_response_id
                self.canonical_system = response.canonical_system
                if response.state != "complete":
                    return
                context.reply(response_to_wire(response))
                if context.calls or context.done:
                    return
            turn = context.turn()
        raise LoomError(ENDLESS)

    def _is_shown(self, event: Any, places: dict[int, int]) -> bool:
        """Return True if the run is to see an event. `places` maps a part's index in this reply to
        its index among the parts of all replies. A new part is added to `places`."""
        if isinstance(event, PartStartEvent):
            if is_loom_call(event.part, self._own):
                return False
            places.setdefault(event.index, len(self._parts_manager.get_parts()))
            return True
        return isinstance(event, PartDeltaEvent) and event.index in places

    @property
    def _stream(self) -> StreamedResponse | None:
        """The stream of the newest reply, or None before the first."""
        return self._streams[-1] if self._streams else None

    def get(self) -> ModelResponse:
        """Return the newest reply with the parts received so far, without Loom's calls."""
        if self._stream is None:
            return super().get()
        response = response_without_calls(self._stream.get(), self._own)
        whole = self._finished or response.state != "complete"
        state = response.state if whole else "incomplete"
        return replace(response, state=state, usage=self.usage)

    @property
    def usage(self) -> RequestUsage:
        """The summed usage of all requests made so far."""
        return reduce(add, (one.usage for one in self._streams), RequestUsage())

    async def close_stream(self) -> None:
        """Close the stream of the newest reply."""
        if self._stream is not None:
            await self._stream.cancel()

    def get_stream_cancel_errors(self) -> tuple[type[BaseException], ...]:
        """Return the types of errors that closing the current stream may raise."""
        stream = self._stream
        errors = super().get_stream_cancel_errors()
        return errors if stream is None else (*errors, *stream.get_stream_cancel_errors())

    # Of the stream under way; of the model before there is one.
    model_name = _stream_property("model_name", lambda self: self._model.model_name)
    provider_name = _stream_property("provider_name", lambda self: self._model.system)
    provider_url = _stream_property("provider_url", lambda self: self._model.base_url)
    timestamp = _stream_property("timestamp", lambda self: self._began)


def response_without_calls(response: ModelResponse, own: Collection[str]) -> ModelResponse:
    """Return the reply without calls of the tools in `own`."""
    return replace(response, parts=[part for part in response.parts if not is_loom_call(part, own)])


def is_loom_call(part: Any, own: Collection[str]) -> bool:
    """Return True if a part is a call of one of Loom's tools, whose names are in `own`."""
    return isinstance(part, ToolCallPart) and part.tool_name in own
