"""Check and copy the files of a workspace that are neither journal nor pages.

Agents' results and artefacts, events of the event bus and their pages, and the database of
long-term memory have hashes or checksums. They are checked against these. Notes, messages in the
inbox and files of a person or another program have none: they count as undamaged. A repair copies
the files that pass.

A reader of the bus remembers the number of the last event it has read. So a repair keeps the
numbers: a missing event is replaced by an event that says so. Otherwise readers would stop at the
gap and never see later events."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from msgspec import MsgspecError, json
from msgspec.structs import replace

from loom.capabilities.agents import result as results
from loom.capabilities.agents.event import FILE_BYTES, BusEvent, decode_event, encode_event
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.memory.longterm.database import APPLICATION
from loom.capabilities.memory.longterm.memory_item import MemoryItem, memory_digest
from loom.errors import BadInput
from loom.lazy import lazy_re
from loom_paging import FileStore, PagingError, Problem, Store
from loom_paging.names import LOCK

EVENT = lazy_re(r"bus/([0-9]{12})\.json")
PAGE = lazy_re(r"bus/pages/([0-9a-f]{64})-[0-9a-f]{16}\.(?:json|bin)")
ARTEFACT = lazy_re(r"capsule/([0-9a-f]{64})")
SOURCE, TOPIC = "repair", "damage.lost"
LOST = ".lost"  # ends the name of a note that a repair found no whole file of that name
SQLITE = b"SQLite format 3\0"
OWN = (
    "journal/", "outputs/", "snapshots/", "checkpoints/", "history/", "packs/", "agents/", "forks/",
)  # fmt: skip
WRONG = (
    BadInput, MsgspecError, ValueError, RecursionError, PagingError, OSError, sqlite3.Error,
)  # fmt: skip


def other_file_names(store: Store) -> list[str]:
    """Return the names in a store other than those of the journal, pages, workspaces below, and
    files that Loom can make again."""
    return [name for name in store.names() if not name.startswith((*OWN, "index.db"))]


def other_file_problems(store: FileStore, delivered: str | None = None) -> list[Problem]:
    """Return a Problem for each damaged or missing file that is neither journal nor page.
    `delivered` is the sha256 of the result that the agent handed over, or None."""
    names = other_file_names(store)
    found = [*_result_problems(store, delivered)]
    for name in names:
        for kind, pattern, check in _KINDS:
            if match := pattern.fullmatch(name):
                try:
                    check(store, name, match[1])
                except WRONG as error:
                    found.append(Problem(kind, name, str(error)))
    for number, event in bus_events(store, names).items():
        if isinstance(event, str):
            found.append(Problem("bus", _event_name(number), event))
        elif event.page and (why := _page_damage(store, event.page)):
            found.append(Problem("bus", event.page, f"the page of event {number} {why}"))
    return found


def bus_events(store: Store, names: list[str]) -> dict[int, BusEvent | str]:
    """Return a dict from the number of each event on the event bus to the event, or to a reason (a
    str) for a damaged or missing event. `names` are the names in the store."""
    held: dict[int, BusEvent | str] = {}
    for name in names:
        if match := EVENT.fullmatch(name):
            number = int(match[1])
            try:
                held[number] = decode_event(store.get(name)[: FILE_BYTES + 1], number)
            except WRONG as error:
                held[number] = str(error)
    trimmed = any(name.startswith("bus/trims/") for name in names)  # by an earlier Loom
    first = min(held, default=1) if trimmed else 1
    every = range(first, max(held, default=0) + 1)
    return {number: held.get(number, "the event is gone") for number in every}


def _event_name(number: int) -> str:
    return f"bus/{number:012d}.json"


def _bytes_or_none(store: Store, name: str) -> bytes | None:
    try:
        return store.get(name)
    except (PagingError, OSError):
        return None


def _check_hash(store: FileStore, name: str, digest: str) -> None:
    """Raise ValueError if a file's sha256 is not `digest`."""
    if (found := sha256(store.get(name)).hexdigest()) != digest:
        raise ValueError(f"its sha256 is {found[:10]}… and its name says {digest[:10]}…")


def _check_database(store: FileStore, name: str, ending: str) -> None:
    """Raise ValueError for a damaged database of long-term memory. `ending` is the ending of the
    file's name, or ""."""
    path = Path(store.root, name)
    with path.open("rb") as file:
        if file.read(len(SQLITE)) != SQLITE:
            if ending:
                raise ValueError("it is no database any more")
            return
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        ((said,),) = db.execute("PRAGMA integrity_check(1)")
        if said != "ok":
            raise ValueError(f"it is damaged: {said}")
        if db.execute("PRAGMA application_id").fetchone() != (APPLICATION,):
            return
        for id, *saved, digest in db.execute("SELECT id, text, key, kind, digest FROM memories"):
            if memory_digest(MemoryItem(id, *saved)) != digest:
                raise ValueError(f"memory {id} is not the one that was saved")


# Kind, names of files, and what raises what is wrong with one, given that part of its name.
_KINDS: tuple[tuple[str, re.Pattern[str], Callable[[FileStore, str, str], None]], ...] = (
    ("bus", PAGE, _check_hash),
    ("result", ARTEFACT, _check_hash),
    ("memory", lazy_re(r"memory/.*?(\.db|\.sqlite|)", re.DOTALL), _check_database),
)


def _result_problems(store: Store, delivered: str | None) -> Iterator[Problem]:
    """Yield a Problem for each damaged or missing file among an agent's result and its artefacts.
    `delivered` is the sha256 of the result that the agent handed over, or None."""
    data = _bytes_or_none(store, results.NAME)
    if data is None:
        if store.has(results.NAME + LOST):
            return
        if delivered is not None or store.has(results.NAME):
            yield Problem("result", results.NAME, "the result this agent gave is gone")
        return
    try:
        found = json.decode(data, type=AgentResult)
    except (MsgspecError, UnicodeDecodeError) as error:
        yield Problem("result", results.NAME, f"it is no result: {error}")
        return
    told, _ = results.read_result(store, found.agent)
    if told is not None and told.error == results.CHANGED:
        yield Problem("result", results.NAME, told.error)
    elif delivered and sha256(data).hexdigest() != delivered:
        yield Problem("result", results.NAME, "it is not the one this agent recorded that it gave")
    for one in found.artefacts:
        name = f"capsule/{one.sha256}"
        if not (store.has(name) or store.has(name + LOST)):
            yield Problem("result", name, f"{one.name}, handed over, is gone")


def _page_damage(store: Store, name: str) -> str:
    """Return "is gone" or "is damaged" for the page of an event, "" for an undamaged page."""
    data = _bytes_or_none(store, name)
    if data is None:
        return "is gone"
    return "is damaged" if sha256(data).hexdigest() not in name else ""


def copy_other_files(
    old: FileStore, new: FileStore, delivered: str | None, damaged_above: Collection[str] = ()
) -> tuple[Problem, ...]:
    """Copy all undamaged files that are neither journal nor pages, except those named in
    `damaged_above`. Return a Problem for each damaged or missing file."""
    lost = other_file_problems(old, delivered)
    bad = {*damaged_above, *(problem.where for problem in lost)}
    names = other_file_names(old)
    for name in names:
        if name in bad or EVENT.fullmatch(name) or name == LOCK:
            continue
        try:
            new.put(name, old.get(name))
        except (PagingError, OSError) as error:
            lost.append(Problem("file", name, str(error)))
    for problem in lost:
        if problem.kind == "result":
            new.put(problem.where + LOST, problem.what.encode())
    _copy_bus(old, new, names)
    return tuple(lost)


def _copy_bus(old: FileStore, new: FileStore, names: list[str]) -> None:
    """Copy the event bus, with a notice in place of each damaged or missing event."""
    for number, event in bus_events(old, names).items():
        name = _event_name(number)
        if isinstance(event, str):
            made = BusEvent(number, TOPIC, SOURCE, {"event": number}, 0)
            new.put(name, encode_event(made, number))
        elif event.page and _page_damage(old, event.page):  # the line about it stays
            new.put(name, encode_event(replace(event, page="", readers=()), number))
        else:
            new.put(name, old.get(name))
