"""Loom in the OpenAI Agents SDK: a model that wraps the real one, and a provider of such models.

    RunConfig(model_provider=LoomModels(context))

The run gives its whole list of items to its model each time. Here the list goes to `Context.sync`,
its request to the real model, and the reply, without the calls Loom answered, back to the run: its
session, tools, handoffs, guardrails, retries, streams and traces are as without Loom.

A tool may be an agent (`Agent.as_tool`): its run has a list of its own, and takes the configuration
of the run above where it has none. Its model is then asked without Loom."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

from agents import Model, ModelProvider, ModelResponse, MultiProvider, Usage

from loom.adapters.asking import ENDLESS, MOST, ask_for_host_reply_async
from loom.adapters.openai_items import (
    Asked,
    model_name,
    named_arguments,
    request_arguments,
    response_to_wire,
    sync_run,
)
from loom.adapters.sessions import check_context_or_sessions
from loom.errors import BadInput, LoomError
from loom.live import Context
from loom.providers.formats.responses import CALLS
from loom.session.turn import Turn

try:
    from agents.models._run_context import get_model_run_owner
except ImportError:  # not public: without it, runs cannot be told apart

    def get_model_run_owner() -> object | None:
        """Return None: in this version of the SDK no object stands for a run."""
        return None


BEGINS = ("response.created", "response.in_progress")
COMPLETED = "response.completed"
FAILED = ("response.failed", "response.incomplete", "error", "response.error")
# Of each context, what stands for the run it serves; the SDK lets go of it when the run ends.
_serving: WeakKeyDictionary[Context, ReferenceType[Any]] = WeakKeyDictionary()


def is_other_run_asking(context: Context) -> bool:
    """Tell whether the run that asks is another than the one that the context serves: that of an
    agent used as a tool. Where the context serves no run, it serves the run that asks from now on.

    Raises BadInput for two runs at once, none of them a tool of the other."""
    run = get_model_run_owner()
    held = _serving.get(context)
    other = None if held is None else held()
    if run is None or other is None or other is run:
        if run is not None:
            _serving[context] = ref(run)
        return False
    if not context.calls:
        raise BadInput("two runs at once on one context: give each conversation its own")
    return True


class LoomModels(ModelProvider):
    """A model provider whose models send the requests of one context. The context is one
    conversation, whichever agents take part in it.

    For `RunConfig(model_provider=…)`. `provider` has the real models, the SDK's by default."""

    def __init__(self, context: Context, provider: ModelProvider | None = None) -> None:
        check_context_or_sessions(context, sessions=False)
        self.context = context
        self.provider = provider or MultiProvider()

    def get_model(self, model_name: str | None) -> LoomModel:
        """Return the model of a name, None for the default model."""
        return LoomModel(self.context, self.provider.get_model(model_name))

    async def aclose(self) -> None:
        """Close the provider; the context stays open."""
        await self.provider.aclose()


class LoomModel(Model):
    """A model that sends a context's requests: for `Agent(model=…)`, or made by `LoomModels`.

    Asking raises BadInput, what `Context.sync` raises, and what the model raises."""

    def __init__(self, context: Context, model: Model) -> None:
        self.context = context
        self.model = model

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the real model, such as which prompt cache it supports."""
        if name in ("context", "model"):  # not there yet: a copy is being made
            raise AttributeError(name)
        return getattr(self.model, name)

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        """Return the reply without the calls Loom answered, with the usage of all requests."""
        asked = named_arguments(given, named)
        if is_other_run_asking(self.context):
            return await self.model.get_response(**asked)
        spent = Usage()

        async def ask(turn: Turn) -> ModelResponse:
            response = await self.model.get_response(**self._request_arguments(turn, asked))
            spent.add(response.usage)
            return response

        turn = sync_run(self.context, asked)
        response = await ask_for_host_reply_async(self.context, turn, ask, self._reply_to_wire)
        own = self.context.tools.own
        output = [item for item in response.output if not is_loom_call(item, own)]
        return replace(response, usage=spent, output=output)

    async def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        """Yield the events of the reply as they come, without those of calls Loom answers.

        The event that ends the reply is held back until the context has the reply; a stream that
        breaks before, or is left, leaves no record."""
        asked = named_arguments(given, named)
        alone = is_other_run_asking(self.context)
        events: Any = self.model.stream_response(**asked) if alone else self._stream_events(asked)
        async with aclosing(events):
            async for event in events:
                yield event

    async def _stream_events(self, asked: Asked) -> AsyncIterator[Any]:
        """Yield the events of a turn's replies that the run is to see, and at last one event that
        ends the replies as a whole."""
        ctx, turn = self.context, sync_run(self.context, asked)
        usages: list[Any] = []
        begun = False
        for _ in range(MOST):
            reply = StreamedReply(ctx.tools.own, again=begun)
            failed: Exception | None = None
            try:
                stream: Any = self.model.stream_response(**self._request_arguments(turn, asked))
                async with aclosing(stream) as events:
                    async for event in events:
                        if reply.take_event(event):
                            begun = True
                            yield event
            except Exception as error:
                failed = error
            if failed is None and reply.end is not None and reply.end.type == COMPLETED:
                ctx.reply(self._reply_to_wire(reply.response()))
                usages.append(reply.end.response.usage)
                if ctx.calls or ctx.done:
                    yield reply.end_event(usages)
                    return
            elif failed is None or not make_room_after(ctx, failed):
                if reply.end is not None and reply.end.type != COMPLETED:
                    yield reply.end
                if failed is not None:
                    raise failed
                return
            turn = ctx.turn()
        raise LoomError(ENDLESS)

    def _request_arguments(self, turn: Turn, asked: Asked) -> Asked:
        return request_arguments(self.context, turn, asked, self.model)

    def _reply_to_wire(self, response: ModelResponse) -> object:
        return response_to_wire(response, model_name(self.model))

    def get_retry_advice(self, request: Any) -> Any:
        """Return the real model's advice."""
        return self.model.get_retry_advice(request)

    async def close(self) -> None:
        """Close the real model; the context stays open."""
        await self.model.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        """Let the context serve another run, now that the run `owner` has ended."""
        held = _serving.get(self.context)
        if held is not None and held() is owner:
            del _serving[self.context]
        await self.model._cleanup_on_run_end(owner)


class StreamedReply:
    """The events of one reply. The run is not shown calls of `own` tools, nor, with `again`, the
    events that begin this reply, because it has seen a reply begin already. `end` is the event that
    ends the reply, None before it came."""

    def __init__(self, own: Collection[str], *, again: bool) -> None:
        self.end: Any = None
        self._own = own
        self._unshown = BEGINS if again else ()
        self._hidden: set[int] = set()  # where the calls Loom answers stand
        self._items: list[Any] = []

    def take_event(self, event: Any) -> bool:
        """Take an event; return True when the run is to see it now."""
        if event.type == COMPLETED or event.type in FAILED:
            self.end = event
            return False
        if event.type == "response.output_item.done":
            self._items.append(event.item)
        index = getattr(event, "output_index", None)
        if index is not None and is_loom_call(getattr(event, "item", None), self._own):
            self._hidden.add(index)
        return event.type not in self._unshown and index not in self._hidden

    def response(self) -> ModelResponse:
        """Return the whole reply of a stream that completed."""
        told = self.end.response
        size = told.usage.input_tokens if told.usage is not None else 0
        return ModelResponse(told.output or self._items, Usage(input_tokens=size), told.id)

    def end_event(self, usages: Sequence[Any]) -> Any:
        """Return the reply's last event, with the items for the run and all requests' usage."""
        told = self.end.response
        output = [one for one in told.output or self._items if not is_loom_call(one, self._own)]
        counted = [usage for usage in usages if usage is not None]
        usage = _sum_usages(counted) if len(counted) > 1 else told.usage
        response = told.model_copy(update={"output": output, "usage": usage})
        return self.end.model_copy(update={"response": response})


def is_loom_call(item: Any, own: Collection[str]) -> bool:
    """Tell whether an item is a call of one of the tools `own`, which Loom answers."""
    return getattr(item, "type", "") in CALLS and getattr(item, "name", "") in own


def _sum_usages(usages: Sequence[Any]) -> Any:
    """Return the sum of objects whose members are numbers, or such objects."""
    total = usages[0]
    for one in usages[1:]:
        found = {name: (getattr(total, name), value) for name, value in one if value is not None}
        update = {
            name: _sum_usages((held, value))
            if hasattr(value, "model_copy")
            else (held or 0) + value
            for name, (held, value) in found.items()
        }
        total = total.model_copy(update=update)
    return total


def make_room_after(context: Context, error: Exception) -> bool:
    """Return True where the error says "too long" and the context made room for another request,
    False for another error.

    Raises OverCapacity when the request was made smaller already."""
    try:
        context.overflowed(error)
    except Exception as raised:
        if raised is error:
            return False
        raise
    return True
