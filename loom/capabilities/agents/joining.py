"""The result of an agent, taken into the window of the one it worked for, as records."""

from __future__ import annotations

from msgspec import json

from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.result import AgentResult, Artefact
from loom.capabilities.agents.spawn_order import extension
from loom.context.results import check_answered
from loom.engine import Engine
from loom.engine.room import room_left
from loom.inputs import Reply, Result, ToolCall
from loom.reduce.shortening import Shortening
from loom_paging import PagingError, Store
from loom_partitions import records as r


def taken(engine: Engine, store: Store, record: r.Spawned, found: AgentResult) -> list[r.Record]:
    """The records that take a result in: its text, and that it is joined."""
    name = record.child
    digest = agent_results.digest(json.encode((found.summary, found.artefacts, found.error)))
    joined = r.Joined(name, found.status, digest)
    twin = next(
        (one.child for one in engine.workspace.index.joined.values() if one.sha256 == digest),
        "",
    )
    text = _text(engine, store, found, record.goal, twin)
    window = engine.window
    step = window.history.waiting_step
    records: list[r.Record] = []
    id = record.call
    if step is None or id not in step.open:
        check_answered(window)
        id = f"spawn_{name}"
        arguments = json.encode({"agent": name, "goal": record.goal}).decode()
        reply = Reply((ToolCall(id, "spawn", arguments),))
        step = engine.ingest.reply(reply, window.history.next_id, engine.room.share(engine.window))
        records.append(r.Replied(step))
    result = Result(id, text, not found.ok)
    returned = engine.ingest.result(
        step, result, room_left(step, engine.room.share(engine.window, step)), Shortening()
    )
    return [*records, returned, joined]


def _text(engine: Engine, store: Store, found: AgentResult, goal: str, twin: str) -> str:
    """A result as a text: who, what for, what came of it, which pages are here now."""
    head = f"[agent {found.agent}: {found.status}] {goal}"
    if twin:
        return f"{head}\nThe same result as that of {twin}."
    pages = [_arrived(engine, store, one) for one in found.artefacts]
    parts = [
        head,
        found.error and f"error: {found.error}",
        found.summary,
        pages and "pages: " + "; ".join(pages),
    ]
    return "\n".join(part for part in parts if part)


def _arrived(engine: Engine, store: Store, one: Artefact) -> str:
    """The page an artefact has become here."""
    try:
        data = store.get(f"capsule/{one.sha256}")
    except PagingError:
        return f"{one.name} is missing"
    if agent_results.digest(data) != one.sha256:
        return f"{one.name} is damaged"
    data = engine.redactor.data(data)  # the other may have rules of its own
    page = engine.workspace.rest("artefact", extension(one.name), data)
    return f"{page} ({len(data):,} bytes)"
