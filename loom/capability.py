"""A capability: something an agent has beside its window, and the moments at which Loom calls it.

Loom's own (memory, skills, toolbox, agents, events, a summarizer) are capabilities, and a host
writes one the same way:

    class Clock(loom.Capability):
        name = "clock"

        @property
        def tools(self):
            return (loom.own_tool("now", "Tell the time.", {}, self.now),)

        def now(self, edits, arguments, limit):
            return time.ctime()

    loom.open(path, capabilities=[Clock()])

Every method of the base class does nothing: override the ones you need. One object serves one
context at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loom.context import Loop
from loom.errors import BadInput, LoomError
from loom.lazy import lazy_names
from loom.session import Engine
from loom.session.moments import Executed, Moments
from loom.session.tools.answer import Answer, OwnTool, own_tool
from loom.text import one_line
from loom_partitions.edits import Folded, Lowered, Shortened
from loom_partitions.message import Call
from loom_partitions.records import Compressed, Renewed

if TYPE_CHECKING:  # what a host's own rules and levels take and give
    from loom.compress.cut_input import CutInput
    from loom.compress.ladder import Level
    from loom.reduce.rule import Observation, Rule, ToolResult
else:
    __getattr__ = lazy_names(
        globals(),
        {
            "Level": "loom.compress.ladder",
            "CutInput": "loom.compress.cut_input",
            **dict.fromkeys(("Observation", "Rule", "ToolResult"), "loom.reduce.rule"),
        },
    )

__all__ = [
    "Answer",
    "Capability",
    "Compressed",
    "CutInput",
    "Executed",
    "Folded",
    "Level",
    "Lowered",
    "Observation",
    "OwnTool",
    "Renewed",
    "Rule",
    "Shortened",
    "ToolResult",
    "arguments_of",
    "own_tool",
]  # fmt: skip


class Capability(Moments):
    """Something an agent has beside its window; subclass it and override what you need.

    name: unique in a context; the names of Loom's own capabilities are taken.
    rules: by tool name, how a result is reduced to a line (`Rule`: a function from `ToolResult` to
        `Observation`). They win over Loom's own rules.
    levels: levels of compression (`Level`: a name, the ρ from which the level may act, a function
        from a `CutInput` to edits: `Lowered`, `Shortened`, `Folded`). Count what an edit puts into
        the window by `cut_input.sizes.count`.
    counter: counts tokens (`loom.Counter`) in place of the encoding of the model.
    summarizes: True where the method `shortened` makes large results short.
    shared: True where the object keeps nothing of a context and may serve several at a time.
    refused: a line for each file that the capability was asked to read at open and did not read,
        with the reason; Loom warns of these lines with a `loom.LoomWarning`.
    has_open_change: True from a change outside the journal until the change is kept or undone.
        Loom then calls `keep_or_undo` when the next call begins: an interrupted call is undone.

        >>> class Greeter(loom.Capability):
        ...     name = "greeter"
        >>> with loom.open("memory://greeted", capabilities=[greeter := Greeter()]) as ctx:
        ...     greeter.context is ctx
        True"""

    _context: Loop | None = None

    @property
    def context(self) -> Loop:
        """Return the context that this capability serves. Raises LoomError as long as none was
        opened."""
        if self._context is None:
            raise LoomError(f"the capability {self.name!r} serves no context: give it to loom.open")
        return self._context

    @property
    def engine(self) -> Engine:
        """Return the engine of the context, which commits records. Only Loom's own capabilities use
        the engine; a host's capability uses `context`."""
        return self.context._engine

    def attached(self, context: Loop) -> None:
        """Prepare for `context`, which is about to open. Loom reads `tools` after this call. Commit
        nothing here: the workspace takes no records yet."""

    def run(self, call: Call, context: Loop) -> Executed | None:
        """Run `call` if it is a call of one of the capability's tools, and return its outcome;
        return None for a call of another tool. Loom holds no lock meanwhile. `arguments_of(call)`
        gives the arguments.

        An exception raised here becomes the result of the call: an error that the model reads."""
        return None


def arguments_of(call: Call) -> dict[str, Any]:
    """Return the arguments of a call as a dict by name. Raises LoomError for no JSON object.

    >>> loom.arguments_of(loom.Call("c1", "read_file", '{"path": "a.py"}', 9))
    {'path': 'a.py'}"""
    from loom.reduce.arguments import parse_json

    found = parse_json(call.arguments) if call.arguments.strip() else {}
    if not isinstance(found, dict):
        raise BadInput(f"the arguments are no JSON object: {one_line(call.arguments, 200)}")
    return found
