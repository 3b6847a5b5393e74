"""Context: the object a host drives, with a namespace for each thing beside its window."""

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
    """A context's tools (`ctx.tools`): the host's, those Loom answers itself, and the toolbox."""

    def __init__(self, engine: Engine, toolbox: Toolbox) -> None:
        super().__init__(engine)
        self._toolbox = toolbox

    @property
    def toolbox(self) -> Toolbox:
        """Return the toolbox that the context was opened with."""
        return self._toolbox


class Context(Loop):
    """A window that does not end. Open one with `loom.open`; its methods are thread-safe.

    The methods of the agent's loop stand here; seven namespaces hold the rest: `working` (goal,
    plan, …), `memory`, `skills`, `tools`, `agents`, `events`, `history`. Each call commits all of
    its records together, or none if it raises.

    Any method raises Closed after `close`, BadInput for an argument of the wrong type, and
    Reentered when a hook that another thread's call is running makes the method wait. An exception
    that an object of the host raises while Loom reads the object comes out unchanged.

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
        """Offer the call to each capability in turn; return the outcome from the first that runs
        it. Raises NoRunner where none does."""
        for one in self._capabilities:
            done: object = one.run(call, self)
            if done is not None:
                return done if isinstance(done, Executed) else Executed(done, done)
        findable = [one.name for one in self.tools.toolbox.find("")]
        raise undeclared_error(self._engine, call.name, findable) or NoRunner(call.name)
