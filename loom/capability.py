"""A capability: what an agent may have beside its window, and when it is asked.

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

Every method does nothing here: write those you need. One object serves one context at a time.
"""

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
            "Scene": "loom.compress.cut_input",
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
    """Something an agent has beside its window.

    name: unique in a context; those of Loom's own are taken.
    rules: by tool name, how a result is reduced to a line (`Rule`: a function from
        `ToolResult` to `Observation`); they win over Loom's own.
    levels: levels of compression (`Level`: a name, the ρ from which it may act, a function
        from a `Scene` to edits: `Lowered`, `Shortened`, `Folded`). What an edit puts into the
        window is counted by `scene.sizes.count`.
    counter: counts tokens (`loom.Counter`) in place of the encoding of the model.
    summarizes: True for one whose `shortened` makes large results short.
    shared: True for one that keeps nothing of a context, and may serve several at a time.
    refused: a line for each file it was asked to read at open and did not, with the reason: told by
        a `loom.LoomWarning`.
    unsettled: True while something outside the journal was changed by a call that may not return;
        `settle` is asked when the next one begins.
    """

    _context: Loop | None = None

    @property
    def context(self) -> Loop:
        """The context that this capability serves. Raises LoomError before one was opened."""
        if self._context is None:
            raise LoomError(f"the capability {self.name!r} serves no context: give it to loom.open")
        return self._context

    @property
    def engine(self) -> Engine:
        """The engine of that context, which commits records: for Loom's own capabilities. A host's
        capability uses `context`."""
        return self.context._engine

    def attached(self, context: Loop) -> None:
        """The context is about to be opened: nothing may be committed yet, tools are asked for
        next."""

    def run(self, call: Call, context: Loop) -> Executed | None:
        """Run a call of one of the capability's tools and return its outcome; None for any other
        tool. No lock is held. `arguments_of(call)` has the arguments.

        What this method raises becomes the call's result, as an error the model reads.
        """
        return None


def arguments_of(call: Call) -> dict[str, Any]:
    """The arguments of a call, by name. Raises LoomError for what is no JSON object.

    >>> loom.arguments_of(loom.Call("c1", "read_file", '{"path": "a.py"}', 9))
    {'path': 'a.py'}
    """
    from loom.reduce.arguments import parse_json

    found = parse_json(call.arguments) if call.arguments.strip() else {}
    if not isinstance(found, dict):
        raise BadInput(f"the arguments are no JSON object: {one_line(call.arguments, 200)}")
    return found
