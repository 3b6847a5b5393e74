"""Carrying on from a snapshot in a new workspace: with another model, or another size of window.

Theory of operation. C_working is written anew, each text as a host would write it, so the new
workspace redacts, bounds and counts it. The history that the snapshot holds enters as an
observation: its words belong to no speaker of the new session. The pages of the old workspace are
copied under their names where they can be read. The old entries are not copied, and new entry ids
continue behind the old ones, so no name ever means two things. The snapshot lists the pages it
names itself; others stand in the old journal, up to the commit that names the snapshot."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from os import PathLike
from pathlib import Path

from msgspec import Struct
from msgspec.structs import astuple, replace

from loom.context.carried_text import carried_on_text
from loom.disk import plain_descriptor
from loom.errors import LoomError, OverCapacity
from loom.session import Engine
from loom.session.archive.full_surfaces import BULLET
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.snapshot_document import (
    PAGE,
    EventDecision,
    Snapshot,
    bad_snapshot,
    check_plausible,
    parse_snapshot,
    snapshot_bytes,
)
from loom.session.archive.workspace import Workspace
from loom.session.working_edits import WorkingEdits
from loom.text import one_line
from loom_paging import FileStore, Pager, PageRef, check_disk
from loom_paging.first_pass import FirstPass, HeldCommit
from loom_paging.packs import Packs
from loom_paging.segments import NONE_SEALED, segment_names
from loom_partitions import records as r
from loom_partitions.shelf import PINNED
from loom_partitions.surfaces import SETTLED
from loom_partitions.window import fold

FOLDER = "snapshots"
SHOWN = 200  # characters of a place, or of what is wrong with it
LARGEST = 64 << 20  # bytes of a file: many times what the largest window leaves


def working_records(edits: WorkingEdits, made: Snapshot) -> list[r.Record]:
    """Return the records that write a snapshot's C_working into a new workspace. `edits` makes the
    records."""
    records: list[r.Record] = []

    def add(*more: r.Record) -> None:
        nonlocal edits
        records.extend(more)
        edits = edits.after(more)

    if made.goal:
        add(*edits.goal(made.goal))
    if made.dashboard.goal_progress:
        add(*edits.progress(made.dashboard.goal_progress))
    if made.plan:
        add(*edits.plan((item.text, item.state) for item in made.plan))
    if made.scratchpad:
        add(*edits.scratch(made.scratchpad))
    for one in _carried_decisions(made):
        add(*edits.signal(one.id, one.summary or one.id, one.kind or "earlier", one.urgency))
        line = edits.line(one.summary or one.id)
        add(r.Acknowledged(one.id, one.disposition, line, one.urgency))
    for event in made.event_surface.pending_events:
        add(*edits.signal(event.id, event.summary, event.kind, event.urgency))
    for question in made.knowledge_surface.active_questions:
        add(*edits.ask(question.id, question.text))
    for pack in made.knowledge_surface.evidence_packs:
        add(*edits.evidence(*astuple(pack)))
    return records


def _carried_decisions(made: Snapshot) -> Iterator[EventDecision]:
    """Yield the decisions about events to carry on, oldest first. An active risk without a decision
    is yielded as a decision; decisions about pending events are left out."""
    pending = {event.id for event in made.event_surface.pending_events}
    decided = {one.id: one for one in made.decisions}
    risks = {
        risk.id: EventDecision(risk.id, risk.disposition, "", risk.summary, risk.urgency)
        for risk in made.event_surface.active_risks
    }
    for id, one in ({id: risks[id] for id in risks if id not in decided} | decided).items():
        if id in pending:
            continue  # it came again
        if id in risks:
            yield replace(risks[id], kind=one.kind)
        else:
            settled = one.disposition in SETTLED
            yield one if settled else replace(one, disposition="resolved")


class GivenSnapshot(Struct, frozen=True):
    """A snapshot to carry on from, and the SHA-256 of its bytes. `where` names the snapshot's file
    in error texts. `workspace` is the workspace folder that holds this file, or ""."""

    snapshot: Snapshot
    sha256: str
    where: str
    workspace: str


def read_snapshot(snapshot: str | PathLike[str] | bytes) -> GivenSnapshot:
    """Read a snapshot, given as the path of its file or as bytes. Raises BadInput for anything that
    is no snapshot of this version of Loom."""
    if isinstance(snapshot, bytes):
        data, where, folder = snapshot, "snapshot=bytes", ""
    else:
        path, where = Path(snapshot), one_line(str(snapshot), SHOWN)
        try:
            data = _snapshot_bytes(path)
        except IsADirectoryError as error:
            why = "it is a folder: name a file in its folder `snapshots`"
            raise bad_snapshot(where, why) from error
        except (OSError, ValueError) as error:  # JSON as a text is too long for a name
            text = where.startswith(("{", "["))
            why = "give the JSON as bytes" if text else one_line(str(error), SHOWN)
            raise bad_snapshot(where, f"it cannot be read ({why})") from error
        if len(data) > LARGEST:
            raise bad_snapshot(where, f"more than {LARGEST:,} bytes: Loom wrote none such")
        root = path.resolve().parent
        folder = str(root.parent) if root.name == FOLDER else ""
    made = parse_snapshot(data, where)
    if not isinstance(made, Snapshot):
        raise bad_snapshot(where, "an earlier Loom wrote it: open its workspace and renew there")
    check_plausible(made, where)
    return GivenSnapshot(made, sha256(data).hexdigest(), where, folder)


def _snapshot_bytes(path: Path) -> bytes:
    """Return the first `LARGEST` + 1 bytes of a snapshot's file, which may be in a pack."""
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        packs = Packs(path.parent.parent)
        packed = packs.read(f"{FOLDER}/{path.name}", 0, LARGEST + 1)
        if path.parent.name != FOLDER or packed is None:
            raise
        return packed


def is_carried_already(workspace: Workspace, held: GivenSnapshot) -> bool:
    """Return True when a workspace was begun from this snapshot, False when the workspace is new.
    Raises LoomError when the workspace has any other history."""
    numbers = range(1, min(workspace.commits, 2) + 1)
    first = [record for number in numbers for record in workspace.records(number)]
    known = next((one for one in first if isinstance(one, r.CarriedOn)), None)
    if known is not None and known.sha256 == held.sha256:
        return True
    if known is None and workspace.commits == 1 and len(first) == 1:
        return False
    what = "carries on from another snapshot" if known else "has a history of its own"
    raise LoomError(
        f"this workspace {what}, so {held.where} cannot be carried on from in it: open a new"
        " place with snapshot=, or this one without it. Nothing was changed"
    )


def carry_on(engine: Engine, held: GivenSnapshot) -> None:
    """Write a snapshot into a new workspace, in one commit. Raises OverCapacity, with nothing
    committed, when its C_working and pins do not fit the window."""
    made, ingest, workspace = held.snapshot, engine.ingest, engine.workspace
    workspace.pager.reserve(page.name for page in made.pages)
    start = r.CarriedOn(held.sha256, made.generation, made.next_id, made.errors)
    records: list[r.Record] = [start, *working_records(engine.edits().after([start]), made)]
    if made.pins:
        pins = "\n".join(BULLET + line for line in made.pins)
        tokens, notice = ingest.weighed("memory", PINNED, pins)
        records.append(r.Shelved("memory", PINNED, notice, ingest.held("memory", pins, tokens)))
    try:
        engine.room.check(fold(records, engine.window))  # before anything is copied
    except OverCapacity as error:
        advice = "carrying on from this snapshot takes a larger window, or a smaller reply"
        raise OverCapacity(error.partition, error.tokens, error.capacity, advice) from error
    copied, lost = _copy_pages(workspace, held, engine.redactor)
    document = engine.redactor(snapshot_bytes(made).decode())
    page = workspace.put_page("earlier", ".json", document.encode("utf-8", "surrogatepass"))
    said = carried_on_text(made, held.workspace, copied, lost, page)
    mark = engine.window.config.mark
    turn = ingest.user(said, made.next_id, engine.room.share(engine.window), "observation", mark)
    engine.commit(*records, r.Heard(turn))


def _copy_pages(
    workspace: Workspace, held: GivenSnapshot, redact: Callable[[str], str]
) -> tuple[int, list[str]]:
    """Copy the pages of the snapshot's workspace into `workspace`, their secrets replaced by
    `redact`. Return (the number of pages copied, the names of unreadable pages)."""
    refs = {one.name: PageRef(one.name, one.sha256, one.size) for one in held.snapshot.pages}
    if not held.workspace:
        return 0, [*refs]
    store = FileStore(Path(held.workspace), create=False)
    lost: set[str] = set()
    try:
        if held.snapshot.others:
            refs = {**_pages_until_snapshot(store, held.sha256), **refs}
        there = set(store.names("outputs/"))  # listed once: an index may name many that are gone
        pager, equal = Pager(store), dict[str, list[str]]()
        pager.register(ref for name, ref in refs.items() if name in there)
        for name, ref in refs.items():
            equal.setdefault(ref.sha256, []).append(name)
        for names in equal.values():
            first = next(filter(there.__contains__, names), None)
            try:
                data = None if first is None else _redact_page(pager.get(first), redact)
            except UNREADABLE as error:
                check_disk(error)
                data = None
            if data is None:
                lost.update(names)
                continue
            for name in names:
                workspace.adopt(name, data)
    finally:
        store.close()
    return len(refs) - len(lost), [name for name in refs if name in lost]


def _pages_until_snapshot(store: FileStore, sha256: str) -> dict[str, PageRef]:
    """Return {name: page} for the pages that a store's journal names up to the commit with the
    snapshot of this SHA-256. Return {} if no such commit can be read."""
    found: dict[str, PageRef] = {}
    for one in FirstPass(store, segment_names(store), NONE_SEALED).found():
        if not isinstance(one, HeldCommit):
            break
        found.update((ref.name, ref) for ref in one.commit.pages if PAGE.fullmatch(ref.name))
        if any(page.sha256 == sha256 for page in one.commit.pages):
            return found
    return {}


def _redact_page(data: bytes, redact: Callable[[str], str]) -> bytes:
    """Return a page's bytes with its secrets replaced. Bytes that are not UTF-8 stay unchanged."""
    with suppress(UnicodeDecodeError):
        text = data.decode("utf-8", "surrogatepass")
        clean = redact(text)
        return data if clean == text else clean.encode("utf-8", "surrogatepass")
    return data
