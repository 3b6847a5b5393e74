"""Loom in Pydantic AI: a capability that makes an agent send Loom's requests.

    Agent(model, capabilities=[LoomCapability(sessions)])

A run keeps its whole history. For each request, the history goes to `Context.sync`. The request
that it returns goes to the model. The reply goes back to the run, without the calls that Loom
answered. Retries, fallbacks, streams, limits and traces are unchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from threading import Lock
from typing import Any, cast
from weakref import WeakSet

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.messages import InstructionPart, ModelResponse
from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from loom.adapters.pydantic_messages import FORMAT, is_for_one_request, messages_to_wire
from loom.adapters.pydantic_models import RunStep, WindowedModel
from loom.adapters.sessions import Sessions, check_context_or_sessions
from loom.errors import BadInput
from loom.live import Context

KEPT = (
    "openai_previous_response_id", "openai_conversation_id", "openai_context_management",
    "anthropic_context_management",
)  # fmt: skip


def refuse_provider_kept_lists(settings: Mapping[str, Any]) -> None:
    """Raise BadInput if the settings make the provider keep or cut the list of messages."""
    kept = [name for name in KEPT if settings.get(name)]
    if settings.get("openai_truncation") == "auto":
        kept.append("openai_truncation")
    if kept:
        raise BadInput(f"the provider would keep or cut the list: leave out {', '.join(kept)}")


def with_loom_tools(parameters: ModelRequestParameters, context: Context) -> ModelRequestParameters:
    """Return the parameters with Loom's tools and without instructions, which the messages have.
    Tools that the history has revealed are no longer deferred."""
    # The message that revealed a tool may be paged out, so the tool is no longer deferred.
    revealed = parameters.revealed_tool_names
    tools = [
        replace(tool, defer_loading=False) if tool.name in revealed else tool
        for tool in parameters.function_tools
    ]
    own = [
        ToolDefinition(
            name=one["name"],
            description=one["description"],
            parameters_json_schema=one["input_schema"],
            strict=False,
        )
        for one in context.tools.schemas(FORMAT)
    ]
    return replace(parameters, function_tools=[*tools, *own], instruction_parts=None)


_serving: WeakSet[Context] = WeakSet()  # contexts that have a run
_lock = Lock()


class LoomCapability(AbstractCapability[Any]):
    """A capability with which an agent sends a context's requests. Use it in
    `Agent(capabilities=[…])` or for a single run.

    `contexts` is the context of one conversation, or a `Sessions` with many. With `Sessions`,
    `session` gives the conversation's name: a text, or a function of the run's context. The default
    name is the run's `conversation_id`. Raises BadInput if a conversation has two runs at once."""

    def __init__(
        self,
        contexts: Context | Sessions,
        session: str | Callable[[RunContext[Any]], str] | None = None,
    ) -> None:
        super().__init__()
        check_context_or_sessions(contexts)
        self._contexts = contexts
        self._session = session
        self._context: Context | None = None  # of the run
        self._step: RunStep | None = None  # of the run, the one that is asked now

    def get_ordering(self) -> CapabilityOrdering:
        """Return "innermost": Loom sees the history after all other capabilities."""
        return CapabilityOrdering(position="innermost")

    async def for_run(self, ctx: RunContext[Any]) -> LoomCapability:
        """Return a copy of the capability that holds the context of this run's conversation."""
        run, given, session = copy(self), self._contexts, self._session
        if isinstance(given, Sessions):
            name = session(ctx) if callable(session) else session or str(ctx.conversation_id)
            given = given.of(name)
        run._context = given
        return run

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> Any:
        """Call the handler and return its result. Raises BadInput if the conversation already has a
        run."""
        context = self._context_of_run()
        with _lock:
            if context in _serving:
                raise BadInput("two runs at once in one conversation: give each its own session")
            _serving.add(context)
        try:
            return await handler()
        finally:
            _serving.discard(context)

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Give the history to the context. Return the request with the messages and tools of Loom's
        window. Raises BadInput, and what `sync` raises."""
        context, messages = self._context_of_run(), request_context.messages
        refuse_provider_kept_lists(request_context.model_settings or {})
        # A reply the provider has not finished is sent behind the request it belongs to.
        many = len(messages) - isinstance(messages[-1], ModelResponse)
        parameters = request_context.model_request_parameters
        context.tools.declare(
            *(
                {
                    "name": tool.name,
                    "description": tool.description or "",
                    "parameters": tool.parameters_json_schema,
                }
                for tool in (*parameters.function_tools, *parameters.output_tools)
            )
        )
        system = InstructionPart.join(parameters.instruction_parts or [])
        seen: dict[str, Any] = {}
        turn = context.sync(messages_to_wire(messages[:many], seen), FORMAT, system=system)
        only = [part for part in messages[many - 1].parts if is_for_one_request(part)]
        self._step = step = RunStep(context, turn, seen, only)
        request_context.messages = [*step.messages(turn), *messages[many:]]
        request_context.model_request_parameters = with_loom_tools(parameters, context)
        # What the window keeps free for the reply, where the run asks for no other length.
        settings = {"max_tokens": turn.max_tokens, **(request_context.model_settings or {})}
        request_context.model_settings = cast(ModelSettings, settings)
        return request_context

    def get_wrapper_model(self, model: Model) -> Model | None:
        """Return a model that asks `model` again while its replies only call Loom's tools, None if
        no request was prepared yet."""
        return None if self._step is None else WindowedModel(model, self._step)

    def _context_of_run(self) -> Context:
        """Return the context of the run. Raises BadInput if `for_run` was not called."""
        if self._context is None:
            raise BadInput("a run without `for_run`: give the capability to an Agent")
        return self._context
