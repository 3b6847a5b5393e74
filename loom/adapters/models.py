"""Loom for hosts whose model is an object with one method: mini-swe-agent and smolagents.

    DefaultAgent(wrap(LitellmModel(…), ctx), env)      # asked by `query(messages)`
    CodeAgent(tools, wrap(OpenAIModel(…), ctx))        # asked by `generate(messages)`

The host passes its whole list of messages each time and keeps it. The model gets the messages that
`Context.sync` makes of the list. Both hosts know only their own tools. So open the context with
`policy=loom.Policy(own_tools=False)`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO
from typing import Any

from loom.adapters.asking import ask_for_host_reply
from loom.adapters.sessions import check_context_or_sessions
from loom.errors import BadInput
from loom.live import Context
from loom.providers.formats.wire import content_parts
from loom.session.turn import Turn

ROLES = {"tool-call": "assistant", "tool-response": "user"}
FORMAT = "openai"
EMPTY = {"type": "text", "text": ""}


def messages_to_wire(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """Return smolagents' messages as a list for `ctx.sync`, with calls written as text."""
    wires = []
    for message in messages:
        given = message if isinstance(message, dict) else vars(message)
        role = str(getattr(given["role"], "value", given["role"]))
        content = given.get("content") or ""
        parts = content if isinstance(content, str) else [*map(_part_to_wire, content)]
        wires.append({"role": ROLES.get(role, role), "content": parts})
    return wires


def _part_to_wire(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a message as a dict. A picture becomes a PNG data URL."""
    if part.get("type") != "image":
        return part
    data = BytesIO()
    part["image"].save(data, format="PNG")
    url = f"data:image/png;base64,{b64encode(data.getvalue()).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def turn_messages(turn: Turn) -> list[dict[str, Any]]:
    """Return the messages of a turn's request. The content of each message is a list of parts,
    because smolagents joins neighbouring messages."""
    return [
        {
            "role": one["role"],
            "content": [dict(part) for part in content_parts(one["content"]) or [EMPTY]],
        }
        for one in turn.request(FORMAT, cache=False)["messages"]
    ]


def tool_declarations(tools: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the host's tools as dicts for `ctx.tools.declare`."""
    for tool in tools:
        inputs = {name: dict(one) for name, one in tool.inputs.items()}
        needed = [name for name, one in inputs.items() if not one.get("nullable")]
        schema = {"type": "object", "properties": inputs, "required": needed}
        yield {"name": tool.name, "description": tool.description, "parameters": schema}


def wrap(model: Any, ctx: Context) -> Any:
    """Return a model for the host that sends the context's requests to `model` and has all other
    attributes of `model`. Raises BadInput if `model` has neither `query` nor `generate`, or if the
    context has tools of Loom."""
    check_context_or_sessions(ctx, sessions=False)
    if ctx.tools.own:
        raise BadInput("Loom answers tools: open the context with loom.Policy(own_tools=False)")
    for method, wrapped in (("query", QueriedModel), ("generate", GeneratingModel)):
        if callable(getattr(model, method, None)):
            return wrapped(model, ctx)
    raise BadInput(f"a {type(model).__name__}: give a model with `query` or `generate`")


class WrappedModel:
    """The base class of wrapped models. Attributes are read from and set on the wrapped model."""

    _loom_model: Any
    _loom_ctx: Context
    _loom_system: Any

    def __init__(self, model: Any, ctx: Context) -> None:
        self.__dict__.update(_loom_model=model, _loom_ctx=ctx, _loom_system=None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_loom_"):  # not there yet: a copy is being made
            raise AttributeError(name)
        return getattr(self._loom_model, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_loom_model"], name, value)


class QueriedModel(WrappedModel):
    """A wrapped model for mini-swe-agent: Chat Completions messages with notes in `extra`."""

    def query(self, messages: list[dict[str, Any]], **given: Any) -> Any:
        """Ask the model with Loom's request and return its message. Raises what `Context.sync` and
        the model raise."""
        ctx, model = self._loom_ctx, self._loom_model
        said = (one for one in messages if one.get("role") != "exit")
        turn = ctx.sync([_without_extra(one) for one in said], FORMAT)

        def ask(turn: Turn) -> Any:
            return model.query(turn.request(FORMAT, cache=False)["messages"], **given)

        return ask_for_host_reply(ctx, turn, ask, _reply_to_wire)


def _without_extra(message: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a message without the host's notes in `extra`."""
    return {key: value for key, value in message.items() if key != "extra"}


def _reply_to_wire(message: dict[str, Any]) -> object:
    """Return a reply as a dict for `ctx.reply`, with its model and usage if these are known."""
    response = (message.get("extra") or {}).get("response") or {}
    known = {key: response[key] for key in ("model", "usage") if response.get(key)}
    return {"choices": [{"message": _without_extra(message)}], **known}


class GeneratingModel(WrappedModel):
    """A wrapped model for smolagents. The context reads each reply from the host's list. A list
    that begins with other instructions than the first list (for a plan or a final answer) is sent
    without Loom."""

    def generate(self, messages: list[Any], *given: Any, **named: Any) -> Any:
        """Ask the model with Loom's request and return its message. Raises what `Context.sync` and
        the model raise."""
        model = self._loom_model
        (reply,) = self._reply_pieces(lambda *asked, **more: [model.generate(*asked, **more)],
                                messages, *given, **named)  # fmt: skip
        return reply

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        return partial(self._reply_pieces, found) if name == "generate_stream" else found

    def _reply_pieces(
        self, ask: Any, messages: list[Any], *given: Any, **named: Any
    ) -> Iterator[Any]:
        """Yield the pieces of the model's reply. If the model refuses a request as too long before
        the first piece, a smaller request is sent."""
        ctx, wire = self._loom_ctx, messages_to_wire(messages)
        first = wire[0] if wire and wire[0]["role"] == "system" else None
        if first is None or self._loom_system not in (None, first):
            yield from ask(messages, *given, **named)
            return
        self.__dict__["_loom_system"] = first
        ctx.tools.declare(*tool_declarations(named.get("tools_to_call_from") or ()))
        turn, begun = ctx.sync(wire, FORMAT), False
        while not begun:
            try:
                for piece in ask(turn_messages(turn), *given, **named):
                    begun = True
                    yield piece
                    usage = getattr(piece, "token_usage", None)
                    if usage is not None and usage.input_tokens:
                        model = str(getattr(self._loom_model, "model_id", None) or "")
                        ctx.metered(usage.input_tokens, model)
                return
            except Exception as error:
                if begun:
                    raise
                ctx.overflowed(error)  # raises any other error again
                turn = ctx.turn()
