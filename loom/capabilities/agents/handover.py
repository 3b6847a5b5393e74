"""What agents hand over: pages granted to a child; a result, delivered once and taken in; and a
fork, the copy of an agent that gets half of what the agent's budget has left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import json

from loom.capabilities.agents import child_budget as budgets
from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.place import (
    FORKS,
    Home,
    bad_agent_name,
    home_of,
    is_durable,
    remove_tree,
    store_of,
    was_opened,
)
from loom.capabilities.agents.result import AgentResult, Artefact, sha256_hex
from loom.capabilities.agents.spawn_order import Made, Opener
from loom.context.open_calls import check_all_answered
from loom.errors import LoomError
from loom.inputs import Reply, Result, ToolCall
from loom.reduce.preview import Shortening
from loom.session import Engine
from loom.session.archive.restore import check_request_number
from loom.session.locking import one_call
from loom.session.window_room import next_result_room
from loom.text import clip_text
from loom_paging import FileStore, PagingError, Store
from loom_paging.folders import sync_folder
from loom_paging.names import TEMPORARY
from loom_partitions import records as r

GRANTED = "From the one who gave you this task, as pages to page in:\n{pages}"
SUMMARY = 1_000_000  # characters of a summary
GOAL = "a copy of this agent"
OWN = frozenset({"journal", "outputs", "snapshots"})  # what an agent cannot do without
ELSEWHERE = "elsewhere"  # the status of what is no child here


def page_extension(name: str) -> str:
    """Return the file extension of the page `name`, such as ".json"; ".bin" if it has none."""
    _, dot, suffix = name.rpartition("/")[2].rpartition(".")
    known = dot and suffix.isalnum() and len(suffix) <= 8
    return f".{suffix}" if known else ".bin"


@one_call
def deliver_result(
    engine: Engine, name: str, summary: str, artefacts: Sequence[str], status: str, error: str
) -> AgentResult:
    """Store the result of the agent `name` in the agent's own store, and return the result.
    `artefacts` are names of pages to hand over. Raises LoomError for an unknown status, BadInput
    for a second result, BudgetSpent for too many or too large artefacts, OpenCalls while calls wait
    for results."""
    check_all_answered(engine.window)
    workspace, clean = engine.workspace, engine.ingest.clean
    if status not in agent_results.STATUSES:
        raise LoomError(f"deliver: {status!r} is none of {', '.join(agent_results.STATUSES)}")
    # Of pages taken in under rules of before, too.
    payloads = {page: engine.redactor.data(workspace.payload(page)) for page in artefacts}
    handed = tuple(Artefact(page, len(one), sha256_hex(one)) for page, one in payloads.items())
    budgets.check_artefacts(engine, handed)
    made = AgentResult(name, status, clip_text(clean(summary), SUMMARY), handed, clean(error))
    for one, data in zip(handed, payloads.values(), strict=True):
        workspace.store.put(f"capsule/{one.sha256}", data)
    engine.commit(r.HandedOver(status, agent_results.put_result(workspace.store, made)))
    workspace.journal.make_durable()
    return made


def _take_page(engine: Engine, kind: str, name: str, data: bytes) -> str:
    """Store the content of another agent's page as a new page here, redacted by this agent's rules.
    Return a line such as "outputs/a.json (12 bytes)". `kind` begins the new name."""
    clean = engine.redactor.data(data)
    page = engine.workspace.put_page(kind, page_extension(name), clean)
    return f"{page} ({len(clean):,} bytes)"


@one_call
def grant_pages(engine: Engine, pages: Mapping[str, bytes]) -> None:
    """Store pages of another agent here, redacted. `pages` maps each page's name in that agent to
    its bytes. One message in the window tells the model the new names."""
    lines = [_take_page(engine, "granted", name, data) for name, data in pages.items()]
    said = GRANTED.format(pages="\n".join(lines))
    share = engine.room.share(engine.window)
    engine.commit(r.Heard(engine.ingest.user(said, engine.window.history.next_id, share)))


def join_records(
    engine: Engine, store: Store, record: r.Spawned, result: AgentResult
) -> list[r.Record]:
    """Return the records that put a child's result into the window and record the child as joined.
    `store` is the child's store, `record` the record of its spawn. The result answers the call that
    spawned the child, if open, else a new call in a new step."""
    name, window = record.child, engine.window
    text = _result_text(engine, store, result, record.goal)
    step, id = window.history.waiting_step, record.call
    records: list[r.Record] = []
    if step is None or id not in step.open:
        check_all_answered(window)
        id = f"spawn_{name}"
        arguments = json.encode({"agent": name, "goal": record.goal}).decode()
        reply = Reply((ToolCall(id, "spawn", arguments),))
        step = engine.ingest.reply(reply, window.history.next_id, engine.room.share(window))
        records.append(r.Replied(step))
    room = next_result_room(step, engine.room.share(window, step))
    returned = engine.ingest.result(step, Result(id, text, not result.ok), room, Shortening())
    said = json.encode((result.summary, result.artefacts, result.error))
    return [*records, returned, r.HandedOver(result.status, sha256_hex(said), name)]


def _result_text(engine: Engine, store: Store, result: AgentResult, goal: str) -> str:
    """Return a result as a text for the model: agent, status, goal, error, summary and pages."""
    pages = [_take_artefact(engine, store, one) for one in result.artefacts]
    parts = [
        f"[agent {result.agent}: {result.status}] {goal}",
        result.error and f"error: {result.error}",
        result.summary,
        pages and "pages: " + "; ".join(pages),
    ]
    return "\n".join(part for part in parts if part)


def _take_artefact(engine: Engine, store: Store, artefact: Artefact) -> str:
    """Copy an artefact from the child's `store` to a page here. Return a line with the new page's
    name, or a line that says that the artefact is missing or damaged."""
    try:
        data = store.get(f"capsule/{artefact.sha256}")
    except PagingError:
        return f"{artefact.name} is missing"
    if sha256_hex(data) != artefact.sha256:
        return f"{artefact.name} is damaged"
    return _take_page(engine, "artefact", artefact.name, data)


def open_fork(
    engine: Engine,
    opener: Opener[Made],
    home: Home,
    name: str,
    at: int | None,
    arguments: Mapping[str, Any],
) -> Made:
    """Copy the agent at `home` into a fork called `name`, open the fork and return its Context.
    With `at`, the fork goes back to that request. If the call fails, the fork is deleted, and the
    call can be made again.

    The record that splits the budget must be committed before the copy, so that both agents have
    the record. Raises BadInput for a bad or taken name or an unknown request `at`, and BudgetSpent.
    """
    into, key = home_of(home, name, FORKS), f"{FORKS}/{name}"  # no child has such a name
    made: Made | None = None
    with engine.lock, engine.atomic:
        if was_opened(into):
            raise bad_agent_name(name, "there is a fork of that name")
        if at is not None:
            check_request_number(engine.workspace, at)
        share = None if key in engine.workspace.index.spawned else budgets.fork_share(engine)
        if share is not None:
            engine.commit(r.Spawned(key, GOAL, "", "", share), r.HandedOver(ELSEWHERE, "", key))
        engine.workspace.journal.make_durable()
    try:
        # Apart from it: a copy that is interrupted takes the record back nowhere.
        with engine.lock, engine.atomic:
            copy_agent(engine.workspace.store, into)
        made = opener(into, **arguments)
        own = made._engine
        with own.lock, own.atomic:
            for child in made.window.working.children:
                own.commit(r.HandedOver(ELSEWHERE, "", child.name))
        if at is not None:
            made.history.undo(to=at)
        return made
    except BaseException:
        if made is not None:
            made.close()
        if was_opened(into):
            store = store_of(into, engine.workspace.store)
            for held in sorted(store.names(), key=lambda held: not held.startswith("journal/")):
                store.delete(held)
        raise


def copy_agent(store: Store, into: Home) -> None:
    """Copy an agent's journal, pages and snapshots from `store` to `into`, where no agent may
    exist. The copy is complete or absent, even after a power cut."""
    half: FileStore | None = None
    if isinstance(into, Path):
        at = into.with_name(f"{TEMPORARY}{into.name}")
        for left in (at, into):  # of a copy that was cut short
            remove_tree(left)
        half = FileStore(at, durable=is_durable(store))
    made = store_of(into, store) if half is None else half
    own = [name for name in store.names() if name.partition("/")[0] in OWN]
    try:
        for name in sorted(own, key=lambda name: (name.startswith("journal/"), name)):
            put = made.append if name.startswith("journal/") else made.put
            put(name, store.get(name))
    except BaseException:
        for name in reversed(made.names()):
            made.delete(name)
        raise
    if isinstance(into, Path) and half is not None:
        half.close()
        half.root.rename(into)
        if is_durable(store):
            sync_folder(into.parent)
