"""Being an agent that works for another: what it was granted, and its result, given once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loom.capabilities.agents import budget as budgets
from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.agents.spawn_order import GRANTED, extension
from loom.context.results import check_answered
from loom.engine import Engine
from loom.errors import LoomError
from loom.text import cut
from loom_partitions import records as r

SUMMARY = 1_000_000  # characters of a summary


def deliver(
    engine: Engine, name: str, summary: str, artefacts: Sequence[str], status: str, error: str
) -> AgentResult:
    """Put the result of the agent of that name where the one it works for looks for it."""
    with engine.lock, engine.atomic:
        check_answered(engine.window)
        workspace, clean = engine.workspace, engine.ingest.clean
        if status not in agent_results.STATUSES:
            raise LoomError(f"deliver: {status!r} is none of {', '.join(agent_results.STATUSES)}")
        clean_data = engine.redactor.data  # of pages taken in under rules of before, too
        payloads = {page: clean_data(workspace.payload(page)) for page in artefacts}
        handed = tuple(agent_results.artefact(page, data) for page, data in payloads.items())
        budgets.check_artefacts(engine, handed)
        said = cut(clean(summary), SUMMARY)
        made = AgentResult(name, status, said, handed, clean(error))
        for one, data in zip(handed, payloads.values(), strict=True):
            workspace.store.put(f"capsule/{one.sha256}", data)
        digest = agent_results.put(workspace.store, made)
        engine.commit(r.Delivered(status, digest))
        workspace.journal.make_durable()
        return made


def grant(engine: Engine, pages: Mapping[str, bytes]) -> None:
    """Take in pages of another agent, without secrets, by their names there; one message tells of
    them."""
    with engine.lock, engine.atomic:
        lines = [
            f"{engine.workspace.rest('granted', extension(name), data)} ({len(data):,} bytes)"
            for name, data in ((name, engine.redactor.data(data)) for name, data in pages.items())
        ]
        said = GRANTED.format(pages="\n".join(lines))
        turn = engine.ingest.user(
            said, engine.window.history.next_id, engine.room.share(engine.window)
        )
        engine.commit(r.Heard(turn))
