"""Carrying on from a snapshot in a workspace of its own: with another model, in another window.

C_working is written anew, each text as a host would write it, so it is redacted, bounded and
counted as the new workspace does. What the earlier session left of its history stands as an
observation: it is nobody's words here. Its pages are copied under their names where they can be
read; its entries are not, and the ids of new ones follow on theirs, so no name means two things.
The snapshot indexes the pages it names; the others stand in the journal beside it, up to the commit
that names this very snapshot.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from os import PathLike
from pathlib import Path

from msgspec import Struct

from loom.context.carried import described
from loom.disk import plain_descriptor
from loom.errors import BadInput, LoomError, OverCapacity
from loom.session import Engine
from loom.session.archive.document import (
    Decided,
    IndexedPage,
    Snapshot,
    bad_snapshot,
    check_plausible,
    indexed,
    read,
    written,
)
from loom.session.archive.folded import retired_by
from loom.session.archive.surfaces import BULLET
from loom.session.archive.workspace import Workspace
from loom.session.working import WorkingEdits
from loom.text import one_line
from loom_paging import (
    Commit,
    CorruptPage,
    FileStore,
    Journal,
    MissingPage,
    OutsideStore,
    PageRef,
    PagingError,
    check_disk,
)
from loom_paging.packs import FOLDER as PACKS
from loom_paging.page import fetch
from loom_partitions import records as r
from loom_partitions.migrations import SCHEMA
from loom_partitions.shelf import PINNED
from loom_partitions.surfaces import SETTLED
from loom_partitions.window import fold

FOLDER = "snapshots"
SHOWN = 200  # characters of a place, or of what is wrong with it
LARGEST = 64 << 20  # bytes of a file: many times what the largest window leaves
PAGES = "outputs/"
UNREADABLE = (CorruptPage, MissingPage, OutsideStore, OSError)


def working_records(edits: WorkingEdits, made: Snapshot) -> list[r.Record]:
    """The records that write C_working."""
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
    for one in _decisions(made):
        add(*edits.signal(one.id, one.summary or one.id, one.kind or "earlier", one.urgency))
        line = edits.line(one.summary or one.id)
        add(r.Acknowledged(one.id, one.disposition, line, one.urgency))
    for event in made.event_surface.pending_events:
        add(*edits.signal(event.id, event.summary, event.kind, event.urgency))
    for question in made.knowledge_surface.active_questions:
        add(*edits.ask(question.id, question.text))
    for pack in made.knowledge_surface.evidence_packs:
        add(
            *edits.evidence(
                pack.id, pack.summary, pack.citations, pack.confidence, pack.facts, pack.conflicts
            )
        )
    return records


def _decisions(made: Snapshot) -> Iterator[Decided]:
    """Yield what was decided, the newest last; each active risk stands under one."""
    pending = {event.id for event in made.event_surface.pending_events}
    decided = {one.id: one for one in made.decisions}
    risks = {risk.id: risk for risk in made.event_surface.active_risks}
    for id, risk in risks.items():
        if id not in decided and id not in pending:
            yield Decided(id, risk.disposition, "", risk.summary, risk.urgency)
    for id, one in decided.items():
        if id in pending:
            continue  # it came again
        own = risks.get(id)
        if own is not None:
            yield Decided(id, own.disposition, one.kind, own.summary, own.urgency)
        else:
            word = one.disposition if one.disposition in SETTLED else "resolved"
            yield Decided(id, word, one.kind, one.summary, one.urgency)


class Given(Struct, frozen=True):
    """A snapshot to carry on from: `where` it was, and the workspace it lies in, "" for none."""

    snapshot: Snapshot
    sha256: str
    where: str
    workspace: str


def read_snapshot(snapshot: str | PathLike[str] | bytes) -> Given:
    """The snapshot in a file, or in bytes. Raises BadInput."""
    if isinstance(snapshot, bytes):
        data, where, folder = snapshot, "snapshot=bytes", ""
    else:
        path, where = Path(snapshot), one_line(str(snapshot), SHOWN)
        try:
            if path.is_dir():
                raise bad_snapshot(where, "it is a folder: name a file in its folder `snapshots`")
            data = _bytes(path)
            if len(data) > LARGEST:
                raise bad_snapshot(where, f"more than {LARGEST:,} bytes: Loom wrote none such")
        except BadInput:
            raise
        except (OSError, ValueError) as error:  # JSON as a text is too long for a name
            text = where.startswith(("{", "["))
            why = "give the JSON as bytes" if text else one_line(str(error), SHOWN)
            raise bad_snapshot(where, f"it cannot be read ({why})") from error
        root = path.resolve().parent
        folder = str(root.parent) if root.name == FOLDER else ""
    made = read(data, where)
    if not isinstance(made, Snapshot):
        raise bad_snapshot(where, "an earlier Loom wrote it: open its workspace and renew there")
    check_plausible(made, where)
    return Given(made, sha256(data).hexdigest(), where, folder)


def _bytes(path: Path) -> bytes:
    """The first bytes of a snapshot: of its file, or where its workspace has it packed."""
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        home = path.parent.parent
        if path.parent.name != FOLDER or not (home / PACKS).is_dir():
            raise
        packed = FileStore(home, create=False).packs.read(f"{FOLDER}/{path.name}", 0, LARGEST + 1)
        if packed is None:
            raise
        return packed


def carried_already(workspace: Workspace, held: Given) -> bool:
    """True when a known workspace carries on from this very snapshot; False when it was made and
    nothing has come in. Raises LoomError when it has another history."""
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


def carry(engine: Engine, held: Given) -> None:
    """Write all of a snapshot into a new workspace, in one commit.

    Raises OverCapacity, with nothing committed, when the window cannot hold it.
    """
    made, ingest, workspace = held.snapshot, engine.ingest, engine.workspace
    workspace.pager.reserve(page.name for page in made.pages)
    start = r.CarriedOn(held.sha256, made.generation, made.next_id, made.errors)
    records: list[r.Record] = [start, *working_records(engine.edits().after([start]), made)]
    if made.pins:
        pins = "\n".join(BULLET + line for line in made.pins)
        tokens, notice = ingest.weighed("memory", PINNED, pins)
        records.append(r.Shelved("memory", PINNED, notice, ingest.held("memory", pins, tokens)))
    _check(engine, records)  # before anything is copied
    pages = listed(held.workspace, made, held.sha256)
    lost = copy_pages(workspace, held.workspace, pages, engine.redactor)
    document = engine.redactor(written(made).decode())
    page = workspace.rest("earlier", ".json", document.encode("utf-8", "surrogatepass"))
    said = described(made, held.workspace, len(pages) - len(lost), lost, page)
    mark = engine.window.config.mark
    turn = ingest.user(said, made.next_id, engine.room.share(engine.window), "observation", mark)
    engine.commit(*records, r.Heard(turn))


def _check(engine: Engine, records: list[r.Record]) -> None:
    """Raise OverCapacity when the window has no room for what the records hold."""
    try:
        engine.room.check(fold(records, engine.window))
    except OverCapacity as error:
        advice = "carrying on from this snapshot takes a larger window, or a smaller reply"
        raise OverCapacity(error.partition, error.tokens, error.capacity, advice) from error


def listed(folder: str, made: Snapshot, sha256: str) -> tuple[IndexedPage, ...]:
    """Return the pages that existed when a snapshot was taken, in their order: by the journal
    beside the snapshot, else, where that cannot be read or names other bytes, by its own index."""
    if not folder or not made.others:
        return made.pages
    found: list[PageRef] = []
    until = 0  # pages as of the commit that names the snapshot

    def note(commit: Commit) -> None:
        nonlocal until
        found.extend(commit.pages)
        if any(page.sha256 == sha256 for page in commit.pages):
            until = until or len(found)

    store = FileStore(Path(folder), create=False)
    try:
        Journal.open(store, write=False, each=note, schema=SCHEMA, retired=retired_by)
    except (PagingError, OSError) as error:
        if isinstance(error, OSError):
            check_disk(error)
    finally:
        store.close()
    held = (indexed(ref.name, ref.size, ref.sha256) for ref in found[:until])
    known = {page.name: page for page in held if page is not None}
    known.update((page.name, page) for page in made.pages)
    return tuple(known.values())


def copy_pages(
    workspace: Workspace, folder: str, pages: Sequence[IndexedPage], redact: Callable[[str], str]
) -> list[str]:
    """Copy pages out of a workspace's folder, and return the names of those that could not be.

    Each is held against its sha256; of one that is damaged, another of the same bytes will do.
    Texts are redacted as anything that comes in.
    """
    if not folder or not pages:
        return [page.name for page in pages]
    equal: dict[str, list[IndexedPage]] = {}
    for page in pages:
        equal.setdefault(page.sha256, []).append(page)
    store = FileStore(Path(folder), create=False)
    lost: set[str] = set()
    try:
        there = set(store.names(PAGES))  # listed once: an index may name many that are gone
        for same in equal.values():
            data = _whole_of(store, (page for page in same if page.name in there))
            if data is None:
                lost.update(page.name for page in same)
                continue
            clean = _redacted(data, redact)
            for page in same:
                workspace.adopt(page.name, clean)
    finally:
        store.close()
    return [page.name for page in pages if page.name in lost]


def _whole_of(store: FileStore, pages: Iterable[IndexedPage]) -> bytes | None:
    """The bytes of the first of these equal pages that is whole, None when none is.

    No more is read than lies there, whatever the index says.
    """
    for page in pages:
        try:
            if store.size(page.name) == page.size:
                return fetch(store, PageRef(page.name, page.sha256, page.size))
        except UNREADABLE as error:
            check_disk(error)
    return None


def _redacted(data: bytes, redact: Callable[[str], str]) -> bytes:
    with suppress(UnicodeDecodeError):
        text = data.decode("utf-8", "surrogatepass")
        clean = redact(text)
        return data if clean == text else clean.encode("utf-8", "surrogatepass")
    return data
