"""Loom in the OpenAI Agents SDK: a model that wraps the real model, and a provider of such models.

    RunConfig(model_provider=LoomModels(context))

A run passes its whole list of items to its model each time. Here the list goes to `Context.sync`.
The request that it returns goes to the real model. The reply goes back to the run, without the
calls that Loom answered. Sessions, tools, handoffs, guardrails, retries and traces are unchanged.

A tool may be an agent (`Agent.as_tool`). Its run has its own list but may inherit the model
provider. Its model is then asked without Loom."""

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
        """Return None, because this version of the SDK has no object for a run."""
        return None


BEGINS = ("response.created", "response.in_progress")
COMPLETED = "response.completed"
FAILED = ("response.failed", "response.incomplete", "error", "response.error")
# Of each context, what stands for the run it serves; the SDK lets go of it when the run ends.
_serving: WeakKeyDictionary[Context, ReferenceType[Any]] = WeakKeyDictionary()


def is_other_run_asking(context: Context) -> bool:
    """Return True if another run asks the model than the context's run: the run of an agent used as
    a tool. A context without a run serves the asking run from now on. Raises BadInput if two runs
    use the context at once and neither is a tool of the other."""
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
    """A model provider for `RunConfig(model_provider=…)`. Its models send the requests of one
    context, which is one conversation of one or more agents. `provider` has the real models
    (default: the SDK's provider)."""

    def __init__(self, context: Context, provider: ModelProvider | None = None) -> None:
        check_context_or_sessions(context, sessions=False)
        self.context = context
        self.provider = provider or MultiProvider()

    def get_model(self, model_name: str | None) -> LoomModel:
        """Return the wrapped model with this name. None means the default model."""
        return LoomModel(self.context, self.provider.get_model(model_name))

    async def aclose(self) -> None:
        """Close the provider of the real models. The context stays open."""
        await self.provider.aclose()


class LoomModel(Model):
    """A model that sends a context's requests to the real model. Use it in `Agent(model=…)`.

    Its methods raise BadInput, what `Context.sync` raises, and what the real model raises."""

    def __init__(self, context: Context, model: Model) -> None:
        self.context = context
        self.model = model

    def __getattr__(self, name: str) -> Any:
        """Return the real model's attribute `name`."""
        if name in ("context", "model"):  # not there yet: a copy is being made
            raise AttributeError(name)
        return getattr(self.model, name)

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        """Return the reply without the calls that Loom answered, with the summed usage of all
        requests."""
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
        """Yield the events of the reply as they come, without events of calls that Loom answers.

        If the stream breaks or is not read to the end, nothing is recorded."""
        asked = named_arguments(given, named)
        alone = is_other_run_asking(self.context)
        events: Any = self.model.stream_response(**asked) if alone else self._stream_events(asked)
        async with aclosing(events):
            async for event in events:
                yield event

    async def _stream_events(self, asked: Asked) -> AsyncIterator[Any]:
        """Yield the events of one or more replies as the events of a single reply with one last
        event."""
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
                # The reply is recorded before its last event is yielded.
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
        """Return the retry advice of the real model."""
        return self.model.get_retry_advice(request)

    async def close(self) -> None:
        """Close the real model. The context stays open."""
        await self.model.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        """Record that the run `owner` has ended, so that the context can serve another run."""
        held = _serving.get(self.context)
        if held is not None and held() is owner:
            del _serving[self.context]
        await self.model._cleanup_on_run_end(owner)


class StreamedReply:
    """Collects the events of one streamed reply. Calls of the tools in `own` are hidden from the
    run. With `again`, the events that begin the reply are hidden too. `end` is the reply's last
    event, None before it comes."""

    def __init__(self, own: Collection[str], *, again: bool) -> None:
        self.end: Any = None
        self._own = own
        self._unshown = BEGINS if again else ()
        self._hidden: set[int] = set()  # where the calls Loom answers stand
        self._items: list[Any] = []

    def take_event(self, event: Any) -> bool:
        """Process an event. Return True if the run is to see it now."""
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
        """Return the whole reply. Call it only after the stream has completed."""
        told = self.end.response
        size = told.usage.input_tokens if told.usage is not None else 0
        return ModelResponse(told.output or self._items, Usage(input_tokens=size), told.id)

    def end_event(self, usages: Sequence[Any]) -> Any:
        """Return the reply's last event without Loom's calls, with the sum of all requests'
        `usages`."""
        told = self.end.response
        output = [one for one in told.output or self._items if not is_loom_call(one, self._own)]
        counted = [usage for usage in usages if usage is not None]
        usage = _sum_usages(counted) if len(counted) > 1 else told.usage
        response = told.model_copy(update={"output": output, "usage": usage})
        return self.end.model_copy(update={"response": response})


def is_loom_call(item: Any, own: Collection[str]) -> bool:
    """Return True if an item is a call of one of Loom's tools, whose names are in `own`."""
    return getattr(item, "type", "") in CALLS and getattr(item, "name", "") in own


def _sum_usages(usages: Sequence[Any]) -> Any:
    """Return the sum of usage objects. Their fields are numbers or objects of the same kind."""
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
    """If the error says that the request was too long, make room in the context for a smaller
    request and return True. Return False for any other error. Raises OverCapacity if the request
    was already made smaller."""
    try:
        context.overflowed(error)
    except Exception as raised:
        if raised is error:
            return False
        raise
    return True
