"""The class `Context`, with which a host program controls a window."""

from __future__ import annotations

from collections.abc import Sequence

from loom.capabilities.agents.capability import Agents
from loom.capabilities.events.capability import Heartbeat
from loom.capabilities.memory.capability import Memory
from loom.capabilities.skills.capability import Skills
from loom.capabilities.toolbox.registry import Toolbox
from loom.capability import Capability, Executed
from loom.context import Loop
from loom.context.tools import DeclaredTools, undeclared_error
from loom.errors import NoRunner
from loom.session import Engine
from loom_partitions.message import Call


class Tools(DeclaredTools):
    """The tools of a context (`ctx.tools`): the host's tools, Loom's own tools, and the toolbox."""

    def __init__(self, engine: Engine, toolbox: Toolbox) -> None:
        super().__init__(engine)
        self._toolbox = toolbox

    @property
    def toolbox(self) -> Toolbox:
        """Return the toolbox of the context."""
        return self._toolbox


class Context(Loop):
    """A window that never ends. Open it with `loom.open`. Its methods are thread-safe.

    The methods for the agent's loop are here. Seven attributes hold the others: `working` (goal,
    plan, …), `memory`, `skills`, `tools`, `agents`, `events`, `history`. A call commits all its
    records together. If it raises an error, it commits none.

    Every method raises Closed after `close`, BadInput for an argument of the wrong type, and
    Reentered if it would have to wait for a hook that another thread is running. An exception that
    an object of the host raises while Loom reads it is not changed.

        >>> with loom.open("memory://greeting", goal="Greet.") as ctx:
        ...     entry, turn = ctx.user("Hello!"), ctx.turn()
        ...     ctx.reply(loom.Reply((loom.Speech("Hello to you."),)))
        ...     ctx.text
        'Hello to you.'"""

    def __init__(self, engine: Engine, capabilities: Sequence[Capability]) -> None:
        super().__init__(engine, self._run_by_capability)
        self._capabilities = capabilities
        named = {one.name: one for one in capabilities}
        self.memory: Memory = named["memory"]  # type: ignore[assignment]
        self.skills: Skills = named["skills"]  # type: ignore[assignment]
        self.tools: Tools = Tools(engine, named["toolbox"])  # type: ignore[arg-type]
        self.agents: Agents[Context] = named["agents"]  # type: ignore[assignment]
        self.events: Heartbeat = named["events"]  # type: ignore[assignment]
        for capability in capabilities:
            capability._context = self
            capability.attached(self)

    def _run_by_capability(self, call: Call) -> Executed:
        """Return the outcome of a call from the first capability that runs it. Raises NoRunner if
        no capability does."""
        for one in self._capabilities:
            done: object = one.run(call, self)
            if done is not None:
                return done if isinstance(done, Executed) else Executed(done, done)
        findable = [one.name for one in self.tools.toolbox.find("")]
        raise undeclared_error(self._engine, call.name, findable) or NoRunner(call.name)
