"""A result held against what its agent recorded when it gave it."""

from __future__ import annotations

from loom.capabilities.agents.result import FAILED, AgentResult, read
from loom.engine.archive.decode import records_of
from loom_paging import Commit, Journal, PagingError, Store
from loom_partitions import records as r
from loom_partitions.migrations import SCHEMA

CHANGED = "its result is damaged: it is not the one that was delivered"


def checked_result(store: Store, agent: str) -> AgentResult | None:
    """The result in an agent's store, None as long as there is none.

    One that was changed after the agent recorded its sha256 is a failed one, and says so. Where no
    record can be read, as after a crash before it, the result is taken as it is.
    """
    found, digest = read(store, agent)
    if found is None:
        return None
    given = _recorded(store)
    return found if given in ("", digest) else AgentResult(agent, FAILED, error=CHANGED)


def _recorded(store: Store) -> str:
    """The sha256 of the result as the agent's journal has it, "" where it has none."""
    if not store.names("journal/"):
        return ""
    found: list[str] = []

    def note(commit: Commit) -> None:
        found.extend(one.sha256 for one in records_of(commit) if isinstance(one, r.Delivered))

    try:
        Journal.open(store, write=False, each=note, schema=SCHEMA)
    except PagingError:
        return ""
    return found[-1] if found else ""
