"""Loom in Google's Agent Development Kit (google-adk 2.13): a plugin of the app.

    App(name="reader", root_agent=agent, plugins=[LoomPlugin(Sessions("runs", window=64_000))])

The session's events stay whole. Each agent of a session has a context of its own, as it has its own
view of the events. Loom's own calls are answered within: the model is asked again, without a
stream, and the words beside such a call are seen in a stream only. What Loom raises within a
callback comes out of ADK as a RuntimeError with the error as its cause. Not for live sessions, nor
beside a compaction of events or the interactions API.
"""

from __future__ import annotations

from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

import loom
from loom.adapters.asking import ask_for_host_reply_async
from loom.adapters.sessions import Sessions

FORMAT = "gemini"
CLIENT = "adk-"  # how ids of calls begin that ADK made; it takes them out of the contents itself
Wire = dict[str, Any]


class LoomPlugin(BasePlugin):
    """Sends what Loom makes of an agent's contents, in their place."""

    def __init__(self, sessions: Sessions, name: str = "loom") -> None:
        super().__init__(name=name)
        self.sessions = sessions
        self._asked: dict[str, LlmRequest] = {}  # by conversation, until its reply has come

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Put the context's request in the place of the one that was made."""
        name = conversation(callback_context)
        ctx, config = self.sessions.of(name), llm_request.config
        for tool in config.tools or ():
            ctx.tools.declare(*map(_declared, getattr(tool, "function_declarations", None) or ()))
        listed = [content.model_dump(exclude_none=True) for content in llm_request.contents]
        turn = ctx.sync(listed, FORMAT, system=_system(config.system_instruction))
        own = [types.FunctionDeclaration(**tool) for tool in ctx.tools.schemas(FORMAT)]
        config.tools = _with(config.tools or [], own)
        _replace(llm_request, turn)
        self._asked[name] = llm_request
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Take the reply, and ask for another while it holds but calls of Loom's own."""
        name = conversation(callback_context)
        ctx, asked = self.sessions.of(name), self._asked.get(name)
        if llm_response.partial:
            return _shown(ctx, llm_response)
        if asked is None or llm_response.content is None:
            return None  # blocked: nothing was said
        response = llm_response
        ctx.reply(_reply(ctx, response))
        if not (ctx.calls or ctx.done):

            async def ask(turn: loom.Turn) -> LlmResponse:
                return await _answered(callback_context, asked, turn)

            response = await ask_for_host_reply_async(
                ctx, ctx.turn(), ask, lambda one: _reply(ctx, one)
            )
        del self._asked[name]
        return _shown(ctx, response)

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """Ask once more, smaller, when the provider found the request too long."""
        ctx = self.sessions.of(conversation(callback_context))
        try:
            ctx.overflowed(error)
        except Exception as raised:
            if raised is error:
                return None  # ADK raises it itself
            raise
        return await _answered(callback_context, llm_request, ctx.turn())


def conversation(context: CallbackContext) -> str:
    """The name of what an agent sees of a session."""
    session = context.session
    parts = (session.app_name, session.user_id, session.id, context.branch, context.agent_name)
    return "|".join(filter(None, parts))


async def _answered(context: CallbackContext, asked: LlmRequest, turn: loom.Turn) -> LlmResponse:
    """The reply of the agent's model to another request."""
    _replace(asked, turn)
    agent: Any = context.get_invocation_context().agent
    replies = [reply async for reply in agent.canonical_model.generate_content_async(asked)]
    return replies[-1]


def _replace(asked: LlmRequest, turn: loom.Turn) -> None:
    request = turn.request(FORMAT)
    asked.contents = [types.Content.model_validate(one) for one in request["contents"]]
    asked.config.system_instruction = request["config"]["system_instruction"]
    asked.config.max_output_tokens = asked.config.max_output_tokens or turn.max_tokens


def _reply(ctx: loom.Context, response: LlmResponse) -> Wire:
    """A reply as `Context.reply` takes one: a GenerateContentResponse.

    ADK drops the id of it, which tells calls without one of their own from those of other replies,
    and gives such calls ids in a stream, which the provider never saw.
    """
    content = response.content.model_dump(exclude_none=True) if response.content else {}
    for part in content.get("parts") or ():
        call = part.get("function_call") or {}
        if str(call.get("id", "")).startswith(CLIENT):
            del call["id"]
    usage = response.usage_metadata
    return {
        "response_id": f"{ctx.window.config.key}/{ctx.window.sent.turn}",
        "candidates": [{"content": content}],
        "model_version": response.model_version or "",
        "usage_metadata": {"prompt_token_count": (usage and usage.prompt_token_count) or 0},
    }


def _shown(ctx: loom.Context, response: LlmResponse) -> LlmResponse:
    """The response less the calls Loom answers; the same one when it has none."""
    content = response.content
    parts = (content and content.parts) or []
    left = [p for p in parts if not (p.function_call and p.function_call.name in ctx.tools.own)]
    if content is None or len(left) == len(parts):
        return response
    return response.model_copy(update={"content": content.model_copy(update={"parts": left})})


def _system(given: Any) -> str | None:
    if given is None or isinstance(given, str):
        return given
    parts = given.parts if isinstance(given, types.Content) else given
    return "\n\n".join(part if isinstance(part, str) else part.text or "" for part in parts or ())


def _declared(tool: types.FunctionDeclaration) -> Wire:
    schema = tool.parameters_json_schema
    if schema is None and tool.parameters is not None:
        schema = tool.parameters.json_schema.model_dump(exclude_none=True, mode="json")
    parameters = schema or {"type": "object", "properties": {}}
    return {"name": tool.name, "description": tool.description or "", "parameters": parameters}


def _with(tools: list[Any], own: list[types.FunctionDeclaration]) -> list[Any]:
    """The tools of a request with Loom's, in the one that holds functions: Gemini takes one."""
    for tool in tools:
        if isinstance(tool, types.Tool) and tool.function_declarations:
            tool.function_declarations = [*tool.function_declarations, *own]
            return tools
    return [*tools, types.Tool(function_declarations=own)]
