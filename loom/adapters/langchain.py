"""Loom in LangChain: a middleware for `langchain.agents.create_agent`, also for deepagents.

    create_agent(model, tools, checkpointer=…, middleware=[LoomMiddleware(Sessions("runs"))])

Before each model call, the thread's messages go to `Context.sync`. The request that it returns goes
to the model. The reply goes back to the agent, without the calls that Loom answered. The thread
keeps every message. Retries, streams and traces stay LangChain's."""

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
    """A middleware that sends Loom's request instead of the whole thread.

    `sessions` is a `Sessions`, which has a context for each thread; or one Context, for an agent
    with one thread. With one Context, agents that run as tools of this agent are asked without
    Loom. `session` returns the name of a request's thread; the default is `session_of`. `name` is
    the middleware's name in the agent. The default name replaces deepagents' summarizer. It cannot
    be used together with LangChain's summarizer."""

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
        """The name under which the agent knows the middleware."""
        return self._name

    def wrap_model_call(self, request: Request, handler: Callable[[Request], Response]) -> Response:
        """Call the model with Loom's request. Return the response without the calls that Loom
        answered. Raises what the model and `sync` raise."""
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
        """Call the model with Loom's request, like `wrap_model_call`, but asynchronously."""
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
        """Return the context for a request, None if the request is to be sent without Loom. Raises
        BadInput if the request names no thread."""
        if isinstance(self.sessions, Sessions):
            return self.sessions.of(self._session(request))
        self._above = self._above or not _task_namespace(request)
        return None if self._above and _task_namespace(request) else self.sessions

    def _visible_response(self, ctx: Context, request: Request, response: Response) -> Response:
        """Return the response without calls of Loom's tools. At the end of an agent that runs as a
        tool, close this agent's context."""
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
    """Return the name of a request's conversation: the `thread_id`, followed in a subgraph by the
    task, since agents that run as tools share a thread. Raises BadInput if there is no `thread_id`.
    """
    thread = _execution_field(request, "thread_id")
    if not thread:
        given = "config={'configurable': {'thread_id': …}}"
        raise BadInput(f"a run without a thread_id: give it {given}, or LoomMiddleware one Context")
    return "|".join(filter(None, (thread, _task_namespace(request))))


def _task_namespace(request: Request) -> str:
    """Return the task that a subgraph's agent runs in, "" for an agent outside of subgraphs."""
    return _execution_field(request, "checkpoint_ns").rpartition("|")[0]


def _execution_field(request: Request, name: str) -> str:
    """Return the field `name` of LangGraph's `execution_info` for a request as text, or ""."""
    return str(getattr(getattr(request.runtime, "execution_info", None), name, None) or "")


def _turn_for_request(ctx: Context, request: Request) -> Turn:
    """Give the tools and messages of a request to the context. Return the turn to send. Tools that
    the provider runs are not declared or counted."""
    tools = (tool for tool in request.tools if not isinstance(tool, dict) or SCHEMAS & {*tool})
    ctx.tools.declare(*map(convert_to_openai_tool, tools))
    system = request.system_message
    return ctx.sync(messages_to_wire(request.messages), FORMAT, system=system and str(system.text))


def _loom_request(ctx: Context, turn: Turn, request: Request) -> Request:
    """Return a copy of LangChain's request with the messages of Loom's turn, and Loom's tools
    added."""
    messages: list[Any] = wire_to_messages(turn.request(FORMAT)["messages"])
    system = messages.pop(0) if messages and isinstance(messages[0], SystemMessage) else None
    # As bare functions: LangChain makes them strict where the whole request has to be.
    own = [tool["function"] for tool in ctx.tools.schemas(FORMAT)]
    return request.override(messages=messages, system_message=system, tools=[*request.tools, *own])


def _response_to_wire(response: Response) -> object:
    return reply_to_wire(next(one for one in response.result if isinstance(one, AIMessage)))
