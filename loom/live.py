"""Context: the live object a host drives, with a namespace for each thing beside its window."""

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
    """The tools of a context: the host's, those that are answered here, and its toolbox."""

    def __init__(self, engine: Engine, toolbox: Toolbox) -> None:
        super().__init__(engine)
        self._toolbox = toolbox

    @property
    def toolbox(self) -> Toolbox:
        """The toolbox the context was opened with."""
        return self._toolbox


class Context(Loop):
    """A window that does not end. Make one with `loom.open`; methods are thread-safe.

    Here stands the loop; the rest in seven namespaces: `working` (goal, plan, …), `memory`,
    `skills`, `tools`, `agents`, `events`, `history`. A call is one commit, or none if it raises.

    Any raises Closed after `close`, BadInput for an argument of another kind, and Reentered
    when a hook of another thread's call keeps it waiting; what an object of the host's raises while
    it is read comes out as it is.
    """

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
        """The outcome of a call that a capability ran. Raises NoRunner."""
        for one in self._capabilities:
            done: object = one.run(call, self)
            if done is not None:
                return done if isinstance(done, Executed) else Executed(done, done)
        findable = [one.name for one in self.tools.toolbox.find("")]
        raise undeclared_error(self._engine, call.name, findable) or NoRunner(call.name)
