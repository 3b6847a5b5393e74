"""`ctx.tools`: the tools the model is told of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from loom.errors import NoRunner, undeclared_tool, unknown_call
from loom.inputs import ToolCall
from loom.providers.formats import format_of
from loom.providers.render.render import render_text
from loom.providers.schema import ToolGiven, schema_as_sent
from loom.session import Engine
from loom.session.archive.restore import restore_entry
from loom.session.head import declare_tools, own_tool_names
from loom.session.locking import one_call
from loom.text import provider_tool_name
from loom.typed import check_arguments
from loom_partitions.message import Call

FIND_TOOL = "find_tool"
FIND = f"{FIND_TOOL} finds more, by words for what they do"


@check_arguments
class DeclaredTools:
    """The tools of a context: the host's, and those that are answered here."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return f"<ctx.tools: {', '.join(self.declared)}>"

    def declare(self, *tools: ToolGiven) -> None:
        """Declare host tools, in the plain shape or any provider's; a no-op when known.

        Raises BadInput, OverCapacity when they leave no room for a history, or are over theirs.
        """
        declare_tools(self._engine, *tools)

    @property
    def declared(self) -> tuple[str, ...]:
        """Names of all tools the model is told of."""
        return tuple(held.key for held in self._engine.workspace.shown.skill.tools.current)

    @property
    def own(self) -> set[str]:
        """Names of the tools that are answered here: their calls never reach the host."""
        return own_tool_names(self._engine)

    @one_call
    def schemas(self, format: str = "openai") -> list[dict[str, Any]]:
        """Declarations of the tools that are answered here, as a request of a format has them.

        For a host that makes its requests from its own list of tools. Raises BadInput.
        """
        form, engine, mine = format_of(format), self._engine, own_tool_names(self._engine)
        held = [one for one in engine.window.skill.tools.current if one.key in mine]
        return [form.tool(schema_as_sent(render_text(one.text, engine.read))) for one in held]

    @one_call
    def without_own(self, reply: object) -> Any:
        """A reply in its provider's shape, as plain values, less the calls that are answered here.

        What a host keeps in its own list, after `ctx.reply` took all of it. Raises BadInput.
        """
        from loom.providers.formats.replies import reply_without_calls

        mine = own_tool_names(self._engine)
        return reply_without_calls(reply, {provider_tool_name(name) for name in mine} | mine)

    @one_call
    def answer(self, call: Call | ToolCall | str) -> str:
        """The result of a call that was answered here, for a host that lists it as any other.

        The call is that of a reply `ctx.reply` took, or its id. Raises BadInput for any other.
        """
        engine = self._engine
        id = call if isinstance(call, str) else call.id
        step = engine.workspace.index.calls.get(id, 0)
        found = restore_entry(engine.workspace, step).results if step else {}
        if id not in found:
            raise unknown_call(id, engine.window.history.open_calls)
        return found[id]


@one_call
def undeclared_error(engine: Engine, name: str, findable: Iterable[str] = ()) -> NoRunner | None:
    """Return the error for a call of a tool that was not declared. None for a declared tool, and
    where no tool at all was. `findable` are names that the model could look for beside those."""
    keys, mine = [held.key for held in engine.window.skill.tools.current], own_tool_names(engine)
    told = {provider_tool_name(key) for key in keys}
    if provider_tool_name(name) in told or not keys:
        return None
    keys.sort(key=mine.__contains__)  # the host's first
    keys += [one for one in findable if one not in keys]
    return undeclared_tool(name, keys, FIND if FIND_TOOL in mine else "")
