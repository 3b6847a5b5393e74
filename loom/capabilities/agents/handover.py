"""What agents hand over: pages granted to one below, its result given once, and taken in; a copy of
an agent, with its half of what the agent has left of its budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import json

from loom.capabilities.agents import budget as budgets
from loom.capabilities.agents import result as agent_results
from loom.capabilities.agents.place import (
    FORKS,
    Home,
    bad_name,
    born,
    durable,
    fork_of,
    removed,
    store_of,
)
from loom.capabilities.agents.result import AgentResult, Artefact
from loom.capabilities.agents.spawn_order import GRANTED, Made, Opener, extension
from loom.context.open_calls import check_answered
from loom.errors import LoomError
from loom.inputs import Reply, Result, ToolCall
from loom.reduce.preview import Shortening
from loom.session import Engine
from loom.session.archive.restore import check_turn
from loom.session.room import room_left
from loom.text import cut
from loom_paging import FileStore, PagingError, Store
from loom_paging.folders import sync_folder
from loom_paging.names import TEMPORARY
from loom_partitions import records as r

SUMMARY = 1_000_000  # characters of a summary
GOAL = "a copy of this agent"
OWN = frozenset({"journal", "outputs", "snapshots"})  # what an agent cannot do without
ELSEWHERE = "elsewhere"  # the status of what is no child here


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
        digest = agent_results.digest
        handed = tuple(Artefact(page, len(one), digest(one)) for page, one in payloads.items())
        budgets.check_artefacts(engine, handed)
        said = cut(clean(summary), SUMMARY)
        made = AgentResult(name, status, said, handed, clean(error))
        for one, data in zip(handed, payloads.values(), strict=True):
            workspace.store.put(f"capsule/{one.sha256}", data)
        engine.commit(r.HandedOver(status, agent_results.put(workspace.store, made)))
        workspace.journal.make_durable()
        return made


def grant(engine: Engine, pages: Mapping[str, bytes]) -> None:
    """Take in pages of another agent, without secrets, by their names there; one message tells of
    them."""
    with engine.lock, engine.atomic:
        lines = [
            f"{engine.workspace.put_page('granted', extension(name), data)} ({len(data):,} bytes)"
            for name, data in ((name, engine.redactor.data(data)) for name, data in pages.items())
        ]
        said = GRANTED.format(pages="\n".join(lines))
        turn = engine.ingest.user(
            said, engine.window.history.next_id, engine.room.share(engine.window)
        )
        engine.commit(r.Heard(turn))


def taken(engine: Engine, store: Store, record: r.Spawned, found: AgentResult) -> list[r.Record]:
    """The records that take a result in: its text, and that it is joined."""
    name = record.child
    digest = agent_results.digest(json.encode((found.summary, found.artefacts, found.error)))
    joined = r.HandedOver(found.status, digest, name)
    text = _text(engine, store, found, record.goal)
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


def _text(engine: Engine, store: Store, found: AgentResult, goal: str) -> str:
    """A result as a text: who, what for, what came of it, which pages are here now."""
    pages = [_arrived(engine, store, one) for one in found.artefacts]
    parts = [
        f"[agent {found.agent}: {found.status}] {goal}",
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
    page = engine.workspace.put_page("artefact", extension(one.name), data)
    return f"{page} ({len(data):,} bytes)"


def copied_to(engine: Engine, home: Home, name: str, at: int | None = None) -> Home:
    """Copy the agent that lives at `home` into a fork of that name; where the fork lives.

    What is left of a budget is shared by a record that both hold: it is in the journal before the
    copy is made. So no kill gives any of it twice; one in between costs the half, until the
    fork is made again. Raises BadInput, for one that is taken too and for a request `at` that was
    never made, and BudgetSpent.
    """
    store, into = engine.workspace.store, fork_of(home, name)
    key = f"{FORKS}/{name}"  # no child has such a name
    with engine.lock:
        with engine.atomic:
            if born(into):
                raise bad_name(name, "there is a fork of that name")
            if at is not None:
                check_turn(engine.workspace, at)
            known = key in engine.workspace.index.spawned
            share = None if known else budgets.fork_share(engine)
            if share is not None:
                engine.commit(r.Spawned(key, GOAL, "", "", share), r.HandedOver(ELSEWHERE, "", key))
            engine.workspace.journal.make_durable()
        # Apart from it: a copy that is interrupted takes the record back nowhere.
        with engine.atomic:
            copied_whole(store, into)
    return into


def forked(
    engine: Engine,
    opener: Opener[Made],
    home: Home,
    name: str,
    at: int | None,
    arguments: Mapping[str, Any],
) -> Made:
    """Make a fork and open it. One that is not given to anyone is taken back: the call that failed
    or was interrupted is made again. Raises as `copied_to`."""
    there, made = born(fork_of(home, name)), None
    try:
        made = opener(copied_to(engine, home, name, at), **arguments)
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
        if not there and born(into := fork_of(home, name)):
            store = store_of(into, engine.workspace.store)
            for held in sorted(store.names(), key=lambda held: not held.startswith("journal/")):
                store.delete(held)
        raise


def copied(store: Store, into: Store) -> None:
    """Copy what one agent holds into an empty store, its journal last; all of it or nothing."""
    own = [name for name in store.names() if name.partition("/")[0] in OWN]
    try:
        for name in sorted(own, key=lambda name: (name.startswith("journal/"), name)):
            if name.startswith("journal/"):
                into.append(name, store.get(name))
            else:
                into.put(name, store.get(name))
    except BaseException:
        for name in reversed(into.names()):
            into.delete(name)
        raise


def copied_whole(store: Store, into: Home) -> None:
    """Copy an agent into a place where none is, which has all of it or nothing: a power cut too
    leaves no half of a journal there."""
    if not isinstance(into, Path):
        copied(store, into)
        return
    half = into.with_name(f"{TEMPORARY}{into.name}")
    for left in (half, into):  # of a copy that was cut short
        removed(left)
    made = FileStore(half, durable=durable(store))
    copied(store, made)
    made.close()
    half.rename(into)
    if durable(store):
        sync_folder(into.parent)
