"""Being an agent that works for another: what it was granted, and its result, given once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import RLock

from loom.capabilities.agents import budget as budgets
from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.place import Home, name_of
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.agents.spawn_order import GRANTED, extension
from loom.context.results import check_answered
from loom.engine import Engine
from loom.engine.atomic import Atomic
from loom.errors import LoomError
from loom.text import cut
from loom_partitions import records as r

SUMMARY = 1_000_000  # characters of a summary


class Serving:
    """What a Context offers to one that works for another."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    _home: Home
    _announce: Callable[[str, object], None]

    def deliver(
        self,
        summary: str,
        *,
        artefacts: Sequence[str] = (),
        status: str = agent_results.DONE,
        error: str = "",
    ) -> AgentResult:
        """Give the result to the one this agent works for, once; its task ends with it.

        `artefacts` are pages of this agent that go with it. Raises BudgetSpent for too many or too
        large ones, AlreadyDelivered when there is a result already, OpenCalls.
        """
        with self._lock, self._atomic:
            engine = self._engine
            check_answered(engine.window)
            workspace, clean = engine.workspace, engine.ingest.clean
            if status not in agent_results.STATUSES:
                raise LoomError(
                    f"deliver: {status!r} is none of {', '.join(agent_results.STATUSES)}"
                )
            payloads = {page: workspace.payload(page) for page in artefacts}
            handed = tuple(agent_results.artefact(page, data) for page, data in payloads.items())
            budgets.check_artefacts(engine.window.config.budget, handed)
            said = cut(clean(summary), SUMMARY)
            name = name_of(self._home)
            made = AgentResult(name, status, said, handed, clean(error))
            for one, data in zip(handed, payloads.values(), strict=True):
                workspace.store.put(f"capsule/{one.sha256}", data)
            digest = agent_results.put(workspace.store, made)
            engine.commit(r.Delivered(status, digest))
        self._announce("agent.result", {"agent": name, "status": status})
        return made

    def grant(self, pages: Mapping[str, bytes]) -> None:
        """Take in pages of another agent, by their names there; one message tells of them."""
        with self._lock, self._atomic:
            engine = self._engine
            lines = [
                f"{engine.workspace.rest('granted', extension(name), data)} ({len(data):,} bytes)"
                for name, data in pages.items()
            ]
            said = GRANTED.format(pages="\n".join(lines))
            turn = engine.ingest.user(said, engine.window.history.next_id, engine.share())
            engine.commit(r.Heard(turn))
