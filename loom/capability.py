"""The base class of capabilities. A capability is something an agent has beside its window, such as
memory or tools. Loom calls its methods at certain moments.

Memory, skills, toolbox, agents, events and the summarizer are capabilities. You can write your own:

    class Clock(loom.Capability):
        name = "clock"

        @property
        def tools(self):
            return (loom.own_tool("now", "Tell the time.", {}, self.now),)

        def now(self, edits, arguments, limit):
            return time.ctime()

    loom.open(path, capabilities=[Clock()])

The base class's methods do nothing. Override those that you need. An object serves one context at a
time."""

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
    """Something an agent has beside its window. Subclass it and override what you need.

    name: a name that is unique in the context. Names of Loom's own capabilities are taken.
    rules: a dict from tool name to `Rule`, a function from `ToolResult` to `Observation` that
        shortens a result. These rules are used instead of Loom's.
    levels: additional levels of compression. A `Level` has a name, the ρ from which it may act, and
        a function from a `CutInput` to edits (`Lowered`, `Shortened`, `Folded`). The function must
        count the tokens of texts that it inserts with `cut_input.sizes.count`.
    counter: a `loom.Counter` that counts tokens instead of the model's encoding.
    summarizes: True if the method `shortened` shortens large results.
    shared: True if the object stores nothing of a context and may serve several at once.
    refused: lines on files that should have been read at open and were not, with the reason. Loom
        shows them in a `loom.LoomWarning`.
    has_open_change: True while a change outside the journal is not yet kept or undone. Loom calls
        `keep_or_undo` at the start of the next call. It undoes the change of an interrupted call.

        >>> class Greeter(loom.Capability):
        ...     name = "greeter"
        >>> with loom.open("memory://greeted", capabilities=[greeter := Greeter()]) as ctx:
        ...     greeter.context is ctx
        True"""

    _context: Loop | None = None

    @property
    def context(self) -> Loop:
        """Return the context that this capability serves. Raises LoomError if it serves none."""
        if self._context is None:
            raise LoomError(f"the capability {self.name!r} serves no context: give it to loom.open")
        return self._context

    @property
    def engine(self) -> Engine:
        """Return the context's engine, which commits records. It is only for Loom's own
        capabilities. Your own capability uses `context`."""
        return self.context._engine

    def attached(self, context: Loop) -> None:
        """Prepare for `context`, which is about to open. Loom reads `tools` after this call. Commit
        nothing here, since the workspace takes no records yet."""

    def run(self, call: Call, context: Loop) -> Executed | None:
        """Run a call of one of this capability's tools and return its outcome. Return None if the
        tool is not this capability's. Use `arguments_of(call)` to get the arguments. Loom holds no
        lock during this method.

        If this method raises an exception, the model gets it as an error result."""
        return None


def arguments_of(call: Call) -> dict[str, Any]:
    """Return the arguments of a call as a dict. Raises LoomError if they are not a JSON object.

    >>> loom.arguments_of(loom.Call("c1", "read_file", '{"path": "a.py"}', 9))
    {'path': 'a.py'}"""
    from loom.reduce.arguments import parse_json

    found = parse_json(call.arguments) if call.arguments.strip() else {}
    if not isinstance(found, dict):
        raise BadInput(f"the arguments are no JSON object: {one_line(call.arguments, 200)}")
    return found
