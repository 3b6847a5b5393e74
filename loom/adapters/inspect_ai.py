"""Loom in inspect: an agent that keeps its window on every call, and a strategy of compaction.

    react(model=loom_model(Sessions("runs", window=64_000)), tools=[…])    # or loom_agent(…)
    react(tools=[…, *kept.tools], compaction=(kept := LoomCompaction(window=64_000)))

The agent's messages stay whole. `loom_model` sends what `Context.sync` makes of them and answers
Loom's own tools itself: tools, approvals, submission, limits and logs are inspect's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from inspect_ai.agent import Agent, AgentState, agent, react
from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    CompactionStrategy,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import Tool, ToolDef, ToolError, ToolInfo
from inspect_ai.util import sample_limits, store

from loom.adapters.asking import asked_async
from loom.adapters.inspect_messages import FORMAT, declared, listed, sent, taken, tool_of, without
from loom.adapters.sessions import Sessions, check_held
from loom.errors import LoomError
from loom.live import Context
from loom.policy import Policy
from loom.session.turn import Turn
from loom.text import tool_name

KEY = "loom"  # in the store of a sample: what its workspaces' names begin with
PRESSURE = "[dashboard "  # begins the message that says how full a request is
Named = Callable[[AgentState], str]


def session_of(state: AgentState) -> str:
    """The name of a conversation: the id of its first message that is no instruction; within a
    sample behind a name that the sample's store has, as epochs may share such ids."""
    first = next((str(one.id) for one in state.messages if one.role != "system"), "")
    return "-".join(filter(None, (_sample(), first)))


@agent
def loom_model(
    sessions: Sessions | Context | str,
    *,
    window: int = 64_000,
    model: str | Model | None = None,
    session: Named = session_of,
) -> Agent:
    """An agent that makes one reply: for `react(model=…)`, or a loop of your own.

    Give it `Sessions`, and each conversation has a workspace of its own; or one Context; or a
    folder, and the `window` in tokens of the workspaces made there. `session` names a conversation.
    Raises what `Context.sync` raises, OverCapacity for a model that refuses a request that was made
    smaller, and what the model raises.
    """
    held = _held(sessions, window)

    async def execute(state: AgentState, tools: Sequence[Tool]) -> AgentState:
        """Reply to the conversation.

        Args:
            state: The conversation.
            tools: What the model may call.
        """
        ctx = held.of(session(state)) if isinstance(held, Sessions) else held
        ctx.tools.declare(*(declared(ToolDef(tool)) for tool in tools))
        own = [tool_of(schema, _answered_within) for schema in ctx.tools.schemas(FORMAT)]
        messages = state.messages

        async def ask(turn: Turn) -> ModelOutput:
            request = sent(turn.request(FORMAT, cache=False)["messages"], messages)
            output = await get_model(model).generate(request, [*tools, *own])
            if output.stop_reason == "model_length":
                raise LoomError(f"context_length_exceeded: {output.completion}")
            return output

        output = await asked_async(ctx, ctx.sync(listed(messages), FORMAT), ask, taken)
        state.output = without(output, {tool_name(name) for name in ctx.tools.own})
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
    """inspect's `react` whose requests are Loom's; `given` is what `react` takes, its model too.

    A workspace of `Sessions` is released when the agent has ended, and opened again for a
    conversation that goes on.
    """
    held = _held(sessions, window)
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


def _held(sessions: Sessions | Context | str, window: int) -> Sessions | Context:
    held = Sessions(sessions, window=window) if isinstance(sessions, str) else sessions
    check_held(held)
    return held


async def _answered_within(**kwargs: Any) -> str:
    """Stand for a tool that Loom answers from the reply that calls it."""
    raise ToolError("it is answered by Loom")


def _sample() -> str:
    """The name of the sample that runs, "" outside of one."""
    try:
        sample_limits()
    except RuntimeError:
        return ""
    return str(store().get(KEY, uuid4().hex))


class LoomCompaction(CompactionStrategy):
    """Compacts to what Loom would send in a window of so many tokens, when inspect says that it is
    time: at a `threshold` of the model's context, or of tokens, which has to be above the window.

    Give the agent `tools`, which bring back what left. Workspaces are in `folder`, else they end
    with this object; they are open only while it works. What else is given, `loom.open` takes.
    """

    def __init__(
        self,
        window: int = 64_000,
        *,
        threshold: int | float = 0.9,
        folder: str | Path | None = None,
        **opening: Any,
    ) -> None:
        super().__init__(type="trim", threshold=threshold, memory=False)
        self.window = window
        self._made = TemporaryDirectory(prefix="loom-") if folder is None else None
        opening = {"window": window, "policy": Policy(own_tools=False), **opening}
        self._sessions = Sessions(folder or str(self._made and self._made.name), **opening)
        self._talks: dict[str, _CompactedTalk] = {}  # by the sample that runs

    def _repr_params_(self) -> dict[str, Any]:
        return {**super()._repr_params_(), "window": self.window}

    async def compact(
        self, model: Model, messages: list[ChatMessage], tools: list[ToolInfo]
    ) -> tuple[list[ChatMessage], ChatMessageUser | None]:
        """The messages Loom sends in the place of these. Raises what `Context.sync` raises."""
        talk = self._talks.get(sample := _sample())
        if talk is None or not talk.has_some(messages):
            talk = self._talks[sample] = _CompactedTalk()
        with self._opened(talk) as ctx:
            return talk.compacted(ctx, messages, tools), None

    @property
    def tools(self) -> list[ToolDef]:
        """page_in and recall, over the conversation of the sample that runs."""

        async def page_in(ref: str, lines: str = "", grep: str = "") -> str:
            """Bring back text that left the context, by the name that stands for it, whole or in
            part.

            Args:
                ref: Such as outputs/read_0007.json or step_0012.
                lines: Which, as 10-40 or -20.
                grep: A pattern of lines.
            """
            ways = {name: way for name, way in (("lines", lines), ("grep", grep)) if way}
            with self._asked() as ctx:
                found = ctx.page_in(ref, **ways)
            return "\n".join(filter(None, (found.note, found.text[: self.window])))

        async def recall(query: str) -> str:
            """Search all that was ever in the context: passages, and names for page_in.

            Args:
                query: Words to look for.
            """
            with self._asked() as ctx:
                return ctx.recall(query)

        return [ToolDef(page_in, max_output=0), ToolDef(recall, max_output=0)]

    @contextmanager
    def _asked(self) -> Iterator[Context]:
        talk = self._talks.get(_sample())
        if talk is None:
            raise ToolError("nothing has left the context yet")
        try:
            with self._opened(talk) as ctx:
                yield ctx
        except LoomError as error:
            raise ToolError(str(error)) from error

    @contextmanager
    def _opened(self, talk: _CompactedTalk) -> Iterator[Context]:
        try:
            yield self._sessions.of(talk.name)
        finally:
            self._sessions.close(talk.name)


class _CompactedTalk:
    """A conversation as the agent has it. inspect gives back what was made of it, and what is new
    behind that."""

    def __init__(self) -> None:
        self.name = uuid4().hex
        self._hosts: list[ChatMessage] = []
        self._known: set[str | None] = set()

    def has_some(self, messages: Sequence[ChatMessage]) -> bool:
        """True where some of these are of this conversation; agents may share instructions."""
        return any(self._is_known(one) for one in messages if one.role != "system")

    def compacted(
        self, ctx: Context, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]
    ) -> list[ChatMessage]:
        """The conversation as Loom sends it; with nothing new it is made smaller."""
        fresh = [one for one in messages if not self._is_known(one)]
        self._hosts += fresh
        ctx.tools.declare(*map(declared, tools))
        turn = ctx.sync(listed(self._hosts), FORMAT)
        if not fresh:
            ctx.renew()
            turn = ctx.turn()
        made = sent(turn.request(FORMAT, cache=False)["messages"], self._hosts)
        if made[-1].role == "user" and made[-1].text.startswith(PRESSURE):
            made.pop()  # of this request: it would stand there until the next compaction
        first = next((one for one in self._hosts if one.role == "system"), None)
        if first is not None and made[0].role == "system":
            # Under another id the first instructions were put before these again.
            made[0] = made[0].model_copy(update={"id": first.id})
        self._known.update(one.id for one in (*fresh, *made))
        return made

    def _is_known(self, message: ChatMessage) -> bool:
        joined = (message.metadata or {}).get("combined_from") or ()  # by inspect, for a provider
        return not self._known.isdisjoint((message.id, *joined))
