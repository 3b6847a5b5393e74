"""Announcements: an agent was spawned, an agent has a result. Told to all, their words to two.

Everybody on the bus hears that it happened: the agent's name, its address, its status. The goal and
the result rest on a page in the agent's own folder, and the bus shows them to that agent and to the
one it works for; so no agent's goal or result lies with another, nor on the bus itself.

Once. Whoever finds a result that nobody told of may tell it: the agent when it is opened again, the
one above when it joins. Two may do so at a time, or one after a crash, so the events of one
agent and topic are made one by a mark beside the page: put if absent, it names the number that
counts, and every reader passes over the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from msgspec import MsgspecError, Struct, json
from msgspec.structs import replace

from loom.capabilities.agents.event import (
    BODY_BYTES,
    PREVIEW_CHARS,
    BusEvent,
    PendingEvent,
    draft,
    page_for,
)
from loom.capabilities.agents.place import Home, address_of, folder_of, name_of, parent_home
from loom.capabilities.agents.result import AgentResult
from loom.redact import Redactor
from loom.text import cut, one_line
from loom_paging import PageExists, PagingError, Store

SPAWNED, RESULT = "agent.spawn", "agent.result"
LISTED = 8  # artefacts named in an event; the whole is `EventBus.payload`


class Announcement(Struct, frozen=True):
    """One of them: `body` is for everybody, `private` for the `readers`, by address.

    `folder` is the agent's own, within the store of the bus; `source` the agent that tells it.
    """

    topic: str
    source: str
    folder: str
    readers: tuple[str, ...]
    body: Mapping[str, Any]
    private: Mapping[str, Any]

    @property
    def mark(self) -> str:
        """The name of the mark that says which event tells it."""
        return _mark(f"{self.folder}/" if self.folder else "", self.topic)

    def pending(self, at: int, redact: Redactor) -> PendingEvent:
        """The event to be, without secrets, its words on a page of their own."""
        made = draft(self.topic, self.source, dict(self.body), at, "", redact)
        whole = draft(self.topic, self.source, {**self.body, **self.private}, at, "", redact)
        data = whole.payload or json.encode(whole.event.body)
        page = f"{self.folder}/{page_for(data)}" if self.folder else page_for(data)
        return PendingEvent(replace(made.event, page=page, readers=self.readers), data)


def spawned(parent: Home, child: Home, goal: str) -> Announcement:
    """What is told when an agent is spawned: `child_id` and `goal`, nothing of its parent's."""
    above_it, address = address_of(parent), address_of(child)
    body = {"agent": name_of(child), "child_id": address}
    readers = (above_it, address)
    return Announcement(SPAWNED, above_it, folder_of(child), readers, body, {"goal": goal})


def resulted(home: Home, found: AgentResult) -> Announcement:
    """What is told when the agent at `home` has a result: `parent_id`, `result`, its status."""
    address, folder = address_of(home), folder_of(home)
    parent = address_of(parent_home(home)) if folder else ""
    body = {"agent": found.agent, "child_id": address, "parent_id": parent, "status": found.status}
    private: dict[str, Any] = {"result": found.summary}
    private["artefacts"] = [one.name for one in found.artefacts]
    if found.error:
        private["error"] = found.error
    readers = (parent, address) if parent else (address,)
    return Announcement(RESULT, address, folder, readers, body, private)


def shown(store: Store, event: BusEvent, agent: str) -> BusEvent:
    """An announcement as that agent sees it: whole, shortened with its page named, or bare.

    Where the page is missing or damaged the bare one names it, and `EventBus.payload` says why.
    """
    if agent not in event.readers:
        return replace(event, page="", readers=())
    try:
        data = store.get(event.page)
        whole = json.decode(data)
    except (PagingError, OSError, MsgspecError, UnicodeDecodeError):
        return event
    if not isinstance(whole, dict):
        return event
    if len(data) <= BODY_BYTES:
        return replace(event, body=whole, page="")
    return replace(event, body={key: _short(value) for key, value in whole.items()})


def counts(store: Store, event: BusEvent) -> bool:
    """True for the one event that tells an announcement; another of the same is passed over.

    The first that asks marks it, where nobody was first.
    """
    from loom.capabilities.agents.log import put

    folder = event.page.rpartition("bus/pages/")[0]
    name, number = _mark(folder, event.topic), str(event.number).encode()
    try:
        if not told(store, name):
            with suppress(PageExists):
                put(store, name, number)
        return store.get(name) == number
    except (PagingError, OSError):
        return True


def told(store: Store, mark: str) -> bool:
    """True when an announcement with that mark was made."""
    try:
        return bool(store.get(mark))
    except PagingError:
        return False


def _mark(folder: str, topic: str) -> str:
    return f"{folder}bus/{topic}.json"


def _short(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= PREVIEW_CHARS else cut(value, PREVIEW_CHARS)
    if isinstance(value, list):
        return [one_line(str(one), PREVIEW_CHARS // 2) for one in value[:LISTED]]
    return value
