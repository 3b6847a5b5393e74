"""Loom in inspect: an agent whose model is asked with Loom's requests.

    react(model=loom_model(Sessions("runs", window=64_000)), tools=[…])    # or loom_agent(…)

The agent keeps all its messages. `loom_model` sends the messages that `Context.sync` makes of them
and answers calls of Loom's tools. Tools, approvals, submission, limits and logs stay inspect's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from inspect_ai.agent import Agent, AgentState, agent, react
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.tool import Tool, ToolDef, ToolError
from inspect_ai.util import sample_limits, store

from loom.adapters.asking import ask_for_host_reply_async
from loom.adapters.inspect_messages import (
    FORMAT,
    messages_to_wire,
    output_to_wire,
    output_without_calls,
    tool_declaration,
    tool_from_schema,
    wire_to_messages,
)
from loom.adapters.sessions import Sessions, check_context_or_sessions
from loom.errors import LoomError
from loom.live import Context
from loom.session.turn import Turn
from loom.text import provider_tool_name

KEY = "loom"  # in the store of a sample: what its workspaces' names begin with
Named = Callable[[AgentState], str]


def session_of(state: AgentState) -> str:
    """Return a name for a conversation: the id of its first message that is not an instruction. In
    a running sample, the sample's name is put before it, because epochs may have equal ids."""
    first = next((str(one.id) for one in state.messages if one.role != "system"), "")
    return "-".join(filter(None, (_running_sample(), first)))


@agent
def loom_model(
    sessions: Sessions | Context | str,
    *,
    window: int = 64_000,
    model: str | Model | None = None,
    session: Named = session_of,
) -> Agent:
    """Return an agent that makes one reply, for `react(model=…)` or for your own loop. `sessions`
    is a `Sessions`, which has a workspace for each conversation; or one Context; or a folder, in
    which workspaces with a window of `window` tokens are made. `session` returns the name of a
    conversation. The agent raises what `Context.sync` and the model raise, and OverCapacity if the
    model refuses even a smaller request."""
    held = _sessions_or_context(sessions, window)

    async def execute(state: AgentState, tools: Sequence[Tool]) -> AgentState:
        """Reply to the conversation.

        Args:
            state: The conversation.
            tools: What the model may call.
        """
        ctx = held.of(session(state)) if isinstance(held, Sessions) else held
        ctx.tools.declare(*(tool_declaration(ToolDef(tool)) for tool in tools))
        schemas = ctx.tools.schemas(FORMAT)
        own = [tool_from_schema(schema, _refuse_direct_call) for schema in schemas]
        messages = state.messages

        async def ask(turn: Turn) -> ModelOutput:
            request = wire_to_messages(turn.request(FORMAT, cache=False)["messages"], messages)
            output = await get_model(model).generate(request, [*tools, *own])
            if output.stop_reason == "model_length":
                raise LoomError(f"context_length_exceeded: {output.completion}")
            return output

        turn = ctx.sync(messages_to_wire(messages), FORMAT)
        output = await ask_for_host_reply_async(ctx, turn, ask, output_to_wire)
        own_names = {provider_tool_name(name) for name in ctx.tools.own}
        state.output = output_without_calls(output, own_names)
        state.messages.append(state.output.message)
        return state

    return execute


@agent
def loom_agent(
    sessions: Sessions | Context | str,
    *,
    window: int = 64_000,
    session: Named = session_of,
    **given: Any,
) -> Agent:
    """Return inspect's `react` agent with Loom's requests. `given` goes to `react`, the rest to
    `loom_model`. With `Sessions`, the workspace is closed at the end and opened to continue."""
    held = _sessions_or_context(sessions, window)
    model = loom_model(held, model=given.pop("model", None), session=session)
    loop = react(model=model, **given)

    async def execute(state: AgentState) -> AgentState:
        """Work until there is an answer.

        Args:
            state: The conversation.
        """
        if not isinstance(held, Sessions):
            return await loop(state)
        name = session(state)
        try:
            return await loop(state)
        finally:
            held.close(name)

    return execute


def _sessions_or_context(sessions: Sessions | Context | str, window: int) -> Sessions | Context:
    """Return a Sessions for a folder, or the given Sessions or Context. Raises BadInput for
    anything else."""
    held = Sessions(sessions, window=window) if isinstance(sessions, str) else sessions
    check_context_or_sessions(held)
    return held


async def _refuse_direct_call(**kwargs: Any) -> str:
    """Raise ToolError. Inspect never runs Loom's tools, because Loom answers their calls before."""
    raise ToolError("it is answered by Loom")


def _running_sample() -> str:
    """Return a name for the running sample, kept in its store, "" if no sample is running."""
    try:
        sample_limits()
    except RuntimeError:
        return ""
    return str(store().get(KEY, uuid4().hex))
