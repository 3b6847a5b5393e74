"""A copy of an agent, and its half of what the agent has left of its budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loom.capabilities.agents.budget import fork_share
from loom.capabilities.agents.family import Made, Opener
from loom.capabilities.agents.place import (
    FORKS,
    Home,
    bad_name,
    born,
    copied_whole,
    fork_of,
    store_of,
)
from loom.engine import Engine
from loom.engine.archive.past import check_turn
from loom_partitions import records as r

GOAL = "a copy of this agent"
ELSEWHERE = "elsewhere"  # the status of what is no child here


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
            share = None if known else fork_share(engine)
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
