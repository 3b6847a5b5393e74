"""Loom in LangChain: a middleware of `langchain.agents.create_agent`, and of deepagents.

    create_agent(model, tools, checkpointer=…, middleware=[LoomMiddleware(Sessions("runs"))])

Before each call of the model the messages of the thread go to `Context.sync`, its request
goes to the model (whichever it is: retries, streams and traces stay LangChain's), and the
reply, without the calls Loom answered, back to the agent. The thread keeps every message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from loom.adapters.asking import ask_for_host_reply, ask_for_host_reply_async
from loom.adapters.langchain_messages import (
    message_without_calls,
    messages_to_wire,
    reply_to_wire,
    wire_to_messages,
)
from loom.adapters.sessions import Sessions, check_context_or_sessions
from loom.errors import BadInput
from loom.live import Context
from loom.session.turn import Turn
from loom.text import provider_tool_name

FORMAT = "openai"
Request = ModelRequest[Any]
Response = ModelResponse[Any]
SCHEMAS = {"function", "parameters", "input_schema"}  # where a declaration has one
# deepagents puts one of this name in the place of its own, which would call a model to sum up.
NAME = "SummarizationMiddleware"


class LoomMiddleware(AgentMiddleware[Any, Any, Any]):
    """A middleware that sends Loom's request in place of the whole thread.

    `sessions` is `Sessions`, so that each thread has a context of its own; or one Context, for an
    agent with one thread: agents that run below it as tools are then asked without Loom. `session`
    returns the name of a request's thread, `session_of` by default. `name` is the name by which the
    agent knows the middleware: with the default it replaces deepagents' summarizer, and cannot be
    used together with LangChain's."""

    def __init__(
        self,
        sessions: Sessions | Context,
        *,
        session: Callable[[Request], str] | None = None,
        name: str = NAME,
    ) -> None:
        super().__init__()
        check_context_or_sessions(sessions)
        self.sessions = sessions
        self._session = session or session_of
        self._name = name
        self._above = False  # an agent that runs by itself has asked

    @property
    def name(self) -> str:
        """The name by which the agent calls the middleware."""
        return self._name

    def wrap_model_call(self, request: Request, handler: Callable[[Request], Response]) -> Response:
        """Call the model with Loom's request, and return the response that the agent is to see.
        Raises what the model raises, and what `sync` raises."""
        if (ctx := self.context(request)) is None:
            return handler(request)
        turn = _turn_for_request(ctx, request)
        response = ask_for_host_reply(
            ctx, turn, lambda turn: handler(_loom_request(ctx, turn, request)), _response_to_wire
        )
        return self._visible_response(ctx, request, response)

    async def awrap_model_call(
        self, request: Request, handler: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """Call the model like `wrap_model_call`, awaited."""
        if (ctx := self.context(request)) is None:
            return await handler(request)

        def ask(turn: Turn) -> Awaitable[Response]:
            return handler(_loom_request(ctx, turn, request))

        return self._visible_response(
            ctx,
            request,
            await ask_for_host_reply_async(
                ctx, _turn_for_request(ctx, request), ask, _response_to_wire
            ),
        )

    def context(self, request: Request) -> Context | None:
        """Return the context of a request, None for a request that is sent without Loom. Raises
        BadInput when the request names no thread."""
        if isinstance(self.sessions, Sessions):
            return self.sessions.of(self._session(request))
        self._above = self._above or not _task_namespace(request)
        return None if self._above and _task_namespace(request) else self.sessions

    def _visible_response(self, ctx: Context, request: Request, response: Response) -> Response:
        """Return the response without calls of Loom's tools; close an ended task's context."""
        names = {*ctx.tools.own, *map(provider_tool_name, ctx.tools.own)}
        ended = ctx.done or response.structured_response is not None
        if ended and _task_namespace(request) and isinstance(self.sessions, Sessions):
            self.sessions.close(self._session(request))
        result = [
            message_without_calls(m, names) if isinstance(m, AIMessage) else m
            for m in response.result
        ]
        return ModelResponse(result=result, structured_response=response.structured_response)


def session_of(request: Request) -> str:
    """Return the name of a request's conversation: its `thread_id`, and in a subgraph the task as
    well. Agents that run as tools share the thread of the agent above, and have messages of their
    own. Raises BadInput for a run without a `thread_id`."""
    thread = _execution_field(request, "thread_id")
    if not thread:
        given = "config={'configurable': {'thread_id': …}}"
        raise BadInput(f"a run without a thread_id: give it {given}, or LoomMiddleware one Context")
    return "|".join(filter(None, (thread, _task_namespace(request))))


def _task_namespace(request: Request) -> str:
    """Return the task of the graph above that an agent runs in, "" for an agent by itself."""
    return _execution_field(request, "checkpoint_ns").rpartition("|")[0]


def _execution_field(request: Request, name: str) -> str:
    """Return what LangGraph says of a request's run under `name`, as text; "" for nothing."""
    return str(getattr(getattr(request.runtime, "execution_info", None), name, None) or "")


def _turn_for_request(ctx: Context, request: Request) -> Turn:
    """Give the context the tools and messages of a request, and return the turn to ask with. Tools
    that a provider runs itself have no schema: they are passed on, and not counted."""
    tools = (tool for tool in request.tools if not isinstance(tool, dict) or SCHEMAS & {*tool})
    ctx.tools.declare(*map(convert_to_openai_tool, tools))
    system = request.system_message
    return ctx.sync(messages_to_wire(request.messages), FORMAT, system=system and str(system.text))


def _loom_request(ctx: Context, turn: Turn, request: Request) -> Request:
    """Return the request with the messages and the tools of Loom's turn."""
    messages: list[Any] = wire_to_messages(turn.request(FORMAT)["messages"])
    system = messages.pop(0) if messages and isinstance(messages[0], SystemMessage) else None
    # As bare functions: LangChain makes them strict where the whole request has to be.
    own = [tool["function"] for tool in ctx.tools.schemas(FORMAT)]
    return request.override(messages=messages, system_message=system, tools=[*request.tools, *own])


def _response_to_wire(response: Response) -> object:
    return reply_to_wire(next(one for one in response.result if isinstance(one, AIMessage)))
