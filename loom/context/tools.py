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
    """The tools of a context: those of the host, and Loom's own, whose calls Loom answers itself.

    >>> with loom.open("memory://tools") as ctx:
    ...     ctx.tools.declare({"name": "stock", "description": "Tell how many are left."})
    ...     "stock" in ctx.tools.declared, "stock" in ctx.tools.own
    (True, False)"""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        return f"<ctx.tools: {', '.join(self.declared)}>"

    def declare(self, *tools: ToolGiven) -> None:
        """Declare tools that the host runs. Each is `{"name", "description", "parameters"}`, or in
        any provider's format. A tool that is declared already with the same content is skipped.

        Raises BadInput, and OverCapacity when the tools leave no room for a history or exceed their
        part of the window."""
        declare_tools(self._engine, *tools)

    @property
    def declared(self) -> tuple[str, ...]:
        """The names of all tools the model is told of."""
        return tuple(held.key for held in self._engine.workspace.shown.skill.tools.current)

    @property
    def own(self) -> set[str]:
        """The names of Loom's own tools: Loom answers their calls, and the host never gets them."""
        return own_tool_names(self._engine)

    @one_call
    def schemas(self, format: str = "openai") -> list[dict[str, Any]]:
        """Return the declarations of Loom's own tools as a request of the provider `format` has
        them, for a host that builds its requests itself. Raises BadInput."""
        form, engine, mine = format_of(format), self._engine, own_tool_names(self._engine)
        held = [one for one in engine.window.skill.tools.current if one.key in mine]
        return [form.tool(schema_as_sent(render_text(one.text, engine.read))) for one in held]

    @one_call
    def without_own(self, reply: object) -> Any:
        """Return a provider's reply as plain values, without the calls of Loom's own tools. A host
        with its own list of messages gives the whole reply to `ctx.reply` first, and puts the
        returned value into its list. Raises BadInput."""
        from loom.providers.formats.replies import reply_without_calls

        mine = own_tool_names(self._engine)
        return reply_without_calls(reply, {provider_tool_name(name) for name in mine} | mine)

    @one_call
    def answer(self, call: Call | ToolCall | str) -> str:
        """Return the text of Loom's result for a call of one of its own tools, for a host that
        keeps such calls in its list. `call` is a call (or its id) of a reply that `ctx.reply` took
        in. Raises BadInput for any other call."""
        engine = self._engine
        id = call if isinstance(call, str) else call.id
        step = engine.workspace.index.calls.get(id, 0)
        found = restore_entry(engine.workspace, step).results if step else {}
        if id not in found:
            raise unknown_call(id, engine.window.history.open_calls)
        return found[id]


@one_call
def undeclared_error(engine: Engine, name: str, findable: Iterable[str] = ()) -> NoRunner | None:
    """Return the error to raise for a call of a tool that is not declared. Return None if the tool
    is declared, or if no tools are declared at all. `findable` are names of more tools for the
    error to list."""
    keys, mine = [held.key for held in engine.window.skill.tools.current], own_tool_names(engine)
    told = {provider_tool_name(key) for key in keys}
    if provider_tool_name(name) in told or not keys:
        return None
    keys.sort(key=mine.__contains__)  # the host's first
    keys += [one for one in findable if one not in keys]
    return undeclared_tool(name, keys, FIND if FIND_TOOL in mine else "")
