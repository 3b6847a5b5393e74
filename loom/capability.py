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

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from loom.compress.ladder import Level
from loom.compress.scene import Scene
from loom.engine.tools.answer import Answer, OwnTool, own_tool
from loom.errors import LoomError
from loom.inputs import ToolCall
from loom.providers.counts import Counter
from loom.reduce import Observation, Rule, ToolResult, parse
from loom.text import one_line
from loom_partitions.edits import Folded, Lowered, Shortened
from loom_partitions.message import Call
from loom_partitions.records import Compressed, Renewed

if TYPE_CHECKING:
    from loom.context import Context
    from loom.engine import Engine
    from loom.engine.turn import Turn

__all__ = [
    "Answer", "Capability", "Compressed", "Executed", "Folded", "Level", "Lowered", "Observation",
    "OwnTool", "Renewed", "Rule", "Scene", "Shortened", "ToolResult", "arguments_of", "own_tool",
]  # fmt: skip


class Executed(Struct, frozen=True):
    """What came of a tool that was run here: the `value` its caller gets, and what the model is
    told, a text or anything JSON can hold."""

    value: object
    told: object
    error: bool = False


class Capability:
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

    name = ""
    rules: Mapping[str, Rule] = {}
    levels: Sequence[Level] = ()
    counter: Counter | None = None
    summarizes = False
    shared = False
    unsettled = False
    refused: Sequence[str] = ()

    _context: Context | None = None

    def _claimed(self, holder: object) -> bool:
        """True when nobody but `holder` has it. One step: nothing comes between."""
        return self.shared or vars(self).setdefault("_holder", holder) is holder

    def _released(self, holder: object = None) -> None:
        """Let others have it; with a `holder`, only where that one has it."""
        if holder is None or vars(self).get("_holder") is holder:
            vars(self).pop("_holder", None)

    @property
    def context(self) -> Context:
        """The context it serves. Raises LoomError before that was opened."""
        if self._context is None:
            raise LoomError(f"the capability {self.name!r} serves no context: give it to loom.open")
        return self._context

    @property
    def engine(self) -> Engine:
        """What commits: for Loom's own capabilities. A host's uses the context."""
        return self.context._engine

    @property
    def tools(self) -> Sequence[OwnTool]:
        """The tools this capability answers itself; their calls never reach the host."""
        return ()

    def attached(self, context: Context) -> None:
        """The context is about to be opened: nothing may be committed yet, tools are asked for
        next."""

    def opened(self) -> None:
        """The workspace is open and its tools are declared."""

    def before_turn(self) -> None:
        """A request is about to be made. No lock is held. `context.turn()` raises Reentered."""

    def after_turn(self, turn: Turn) -> None:
        """A request was made, and stands whatever this raises. No lock is held."""

    def before_renewal(self) -> None:
        """The context is about to be renewed: instructions, memory and skills are rendered anew."""

    def goal_changed(self) -> None:
        """The goal was set, or changed."""

    def resized(self) -> None:
        """The window has another size. Asked again where it was interrupted."""

    def settle(self, kept: bool) -> None:
        """Keep what the last call changed outside the journal, or undo it: it did not return.

        Asked when the next call begins, and at the end, while `unsettled`.
        """

    def recalled(self, query: str) -> Answer | None:
        """An answer that is added to that of the tool `recall`; None for nothing."""
        return None

    def shortened(self, text: str, *, tool: str, objective: str, limit: int) -> str | None:
        """A large result in at most `limit` characters; None when it makes none short, "" when it
        could not make this one short. Not locked: it may take its time."""
        return None

    def run(self, call: Call, context: Context) -> Executed | None:
        """Run a call of the host's; None for a tool that is not this one's. Not locked.

        What it raises is told to the model as the call's result. See `arguments_of`.
        """
        return None

    def stopping(self) -> None:
        """The context is about to close: let threads end. Never called with a lock held."""

    def closing(self) -> None:
        """The context closes: let go of files."""


def host_call(call: Call | ToolCall, tools: Mapping[str, OwnTool]) -> ToolCall | None:
    """The host's call that one of Loom's own stands for; None where Loom answers it."""
    tool = tools.get(call.name)
    return tool.within(call) if tool is not None and tool.within is not None else None


def arguments_of(call: Call) -> dict[str, Any]:
    """The arguments of a call. Raises LoomError for what is no JSON object."""
    found = parse(call.arguments) if call.arguments.strip() else {}
    if not isinstance(found, dict):
        raise LoomError(f"the arguments are no JSON object: {one_line(call.arguments, 200)}")
    return found
