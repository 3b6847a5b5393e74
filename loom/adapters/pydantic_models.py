"""The model that a run of Pydantic AI asks: again, while Loom answers its calls.

The first request of a step is prepared by the run, as any; those that follow are prepared here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.usage import RequestUsage

from loom.adapters.pydantic_messages import FORMAT, given_back, reply_of
from loom.adapters.pydantic_streams import WindowedStream, shown
from loom.live import Context
from loom.session.turn import Turn


@dataclass
class RunStep:
    """One step of a run: the context, the turn to ask with, what its messages hold beside
    (`given_back`), and the prompts of the run for this step alone."""

    context: Context
    turn: Turn
    seen: dict[str, Any]
    only: list[Any]

    def messages(self, turn: Turn) -> list[ModelMessage]:
        """The messages of a request."""
        *before, last = given_back(turn.request(FORMAT, cache=False), self.seen)
        return [*before, replace(last, parts=[*last.parts, *self.only])]


class WindowedModel(WrapperModel):
    """Asks a model until its reply is one that the run is to see."""

    def __init__(self, wrapped: Model, step: RunStep) -> None:
        super().__init__(wrapped)
        self.step = step

    async def request(
        self, messages: list[ModelMessage], settings: Any, parameters: ModelRequestParameters
    ) -> ModelResponse:
        """The reply, less the calls Loom answered; its usage is that of all requests made."""
        if isinstance(messages[-1], ModelResponse):
            return await self.wrapped.request(messages, settings, parameters)
        context, turn = self.step.context, self.step.turn
        spent = RequestUsage()
        while True:
            given = self.given(turn, messages, parameters)
            try:
                response = await self.wrapped.request(given, settings, parameters)
            except Exception as error:
                context.overflowed(error)  # raises any other error again
                turn = context.turn()
                continue
            spent = spent + response.usage
            # The rest of one that is not whole is asked for by the run: it is taken in from there.
            whole = response.state == "complete"
            if whole:
                context.reply(reply_of(response))
            if not whole or context.calls or context.done:
                return replace(shown(response, context.tools.own), usage=spent)
            turn = context.turn()

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        settings: Any,
        parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncIterator[StreamedResponse]:
        """The events of the reply as they come, less those of calls Loom answers."""
        given = (settings, parameters, run_context)
        if isinstance(messages[-1], ModelResponse):
            async with self.wrapped.request_stream(messages, *given) as stream:
                yield stream
            return
        async with AsyncExitStack() as opened:

            async def ask(turn: Turn) -> StreamedResponse:
                asked = self.wrapped.request_stream(self.given(turn, messages, parameters), *given)
                return await opened.enter_async_context(asked)

            step = self.step
            yield WindowedStream(parameters, self.wrapped, step.context, step.turn, ask)

    def given(
        self, turn: Turn, messages: list[ModelMessage], parameters: ModelRequestParameters
    ) -> list[ModelMessage]:
        """The messages of a turn, prepared: by the run, or those that follow here."""
        if turn is self.step.turn:
            return messages
        return self.wrapped.prepare_messages(self.step.messages(turn), parameters)
