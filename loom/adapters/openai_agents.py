"""Loom in the OpenAI Agents SDK: a model around the one that is asked, and a provider of such.

    RunConfig(model_provider=LoomModels(context))

The run gives its whole list of items to its model each time. Here the list goes to `Context.sync`,
the request that comes of it to the real model, and the reply, less the calls Loom answered, back to
the run: its session, tools, handoffs, guardrails, retries, streams and traces are as without Loom.

Which run of the OpenAI Agents SDK a context serves.

A tool may be an agent (`Agent.as_tool`): its run has a list of its own, and takes the
configuration of the run above it where it has none. Its model is then asked without Loom.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

from agents import Model, ModelProvider, ModelResponse, MultiProvider, Usage

from loom.adapters.asking import ENDLESS, MOST, asked_async
from loom.adapters.openai_items import Asked, asked_of, name_of, reply_of, sent, taken_in
from loom.adapters.openai_streams import StreamedReply, hidden, shortened
from loom.adapters.sessions import check_held, unsupported
from loom.errors import LoomError
from loom.live import Context
from loom.session.turn import Turn

try:
    from agents.models._run_context import get_model_run_owner
except ImportError:  # not public: without it, runs cannot be told apart

    def get_model_run_owner() -> object | None:
        """Nothing stands for a run."""
        return None


# Of each context, what stands for the run it serves; the SDK lets go of it when the run ends.
_serving: WeakKeyDictionary[Context, ReferenceType[Any]] = WeakKeyDictionary()


def of_a_tool(context: Context) -> bool:
    """True when a tool of the run that the context serves is asking; else it serves this run.

    Raises BadInput for two runs at once.
    """
    run = get_model_run_owner()
    held = _serving.get(context)
    other = None if held is None else held()
    if run is None or other is None or other is run:
        if run is not None:
            _serving[context] = ref(run)
        return False
    if not context.calls:
        raise unsupported(
            "two runs at once on one context", "give each conversation a context of its own"
        )
    return True


def end_run(context: Context, run: object) -> None:
    """The run is over: the next one may begin."""
    held = _serving.get(context)
    if held is not None and held() is run:
        del _serving[context]


class LoomModels(ModelProvider):
    """Models whose requests are those of a context: one conversation, whichever agents have it.

    Give it as `RunConfig(model_provider=…)`. `provider` has the models; the SDK's own by default.
    """

    def __init__(self, context: Context, provider: ModelProvider | None = None) -> None:
        check_held(context, sessions=False)
        self.context = context
        self.provider = provider or MultiProvider()

    def get_model(self, model_name: str | None) -> LoomModel:
        """The model of a name, None for the default one."""
        return LoomModel(self.context, self.provider.get_model(model_name))

    async def aclose(self) -> None:
        """Close the provider; the context stays open."""
        await self.provider.aclose()


class LoomModel(Model):
    """A model that is asked with a context's requests: for `Agent(model=…)`, or of `LoomModels`.

    Both ways to ask raise BadInput, what `Context.sync` raises, and what the model raises.
    """

    def __init__(self, context: Context, model: Model) -> None:
        self.context = context
        self.model = model

    def __getattr__(self, name: str) -> Any:
        """What only the SDK's own models have, such as which prompt cache they support."""
        if name in ("context", "model"):  # not there yet: a copy is being made
            raise AttributeError(name)
        return getattr(self.model, name)

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        """The reply, less the calls Loom answered; its usage is that of all requests made."""
        asked = asked_of(given, named)
        if of_a_tool(self.context):
            return await self.model.get_response(**asked)
        spent = Usage()

        async def ask(turn: Turn) -> ModelResponse:
            response = await self.model.get_response(**self._request(turn, asked))
            spent.add(response.usage)
            return response

        turn = taken_in(self.context, asked)
        response = await asked_async(self.context, turn, ask, self._taken)
        own = self.context.tools.own
        output = [item for item in response.output if not hidden(item, own)]
        return replace(response, usage=spent, output=output)

    async def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        """The events of the reply as they come, less those of calls Loom answers.

        The event that ends it is held back until the context has the reply; a stream that breaks
        before, or is left, leaves no record.
        """
        asked = asked_of(given, named)
        alone = of_a_tool(self.context)
        events: Any = self.model.stream_response(**asked) if alone else self._streamed(asked)
        async with aclosing(events):
            async for event in events:
                yield event

    async def _streamed(self, asked: Asked) -> AsyncIterator[Any]:
        ctx, turn = self.context, taken_in(self.context, asked)
        usages: list[Any] = []
        begun = False
        for _ in range(MOST):
            reply = StreamedReply(ctx.tools.own, again=begun)
            try:
                stream: Any = self.model.stream_response(**self._request(turn, asked))
                async with aclosing(stream) as events:
                    async for event in events:
                        if reply.shows(event):
                            begun = True
                            yield event
            except Exception as error:
                if not shortened(ctx, error):
                    for end in reply.failures:
                        yield end
                    raise
            else:
                response = reply.response()
                if response is None:
                    for end in reply.failures:
                        yield end
                    return
                ctx.reply(self._taken(response))
                usages.append(reply.end.response.usage)
                if ctx.calls or ctx.done:
                    yield reply.ended(usages)
                    return
            turn = ctx.turn()
        raise LoomError(ENDLESS)

    def _request(self, turn: Turn, asked: Asked) -> Asked:
        return sent(self.context, turn, asked, self.model)

    def _taken(self, response: ModelResponse) -> object:
        return reply_of(response, name_of(self.model))

    def get_retry_advice(self, request: Any) -> Any:
        """Pass on the model's advice."""
        return self.model.get_retry_advice(request)

    async def close(self) -> None:
        """Close the model; the context stays open."""
        await self.model.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        end_run(self.context, owner)
        await self.model._cleanup_on_run_end(owner)
