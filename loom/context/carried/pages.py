"""Pages of the workspace a snapshot lies in, copied under the names they had there.

The snapshot indexes those it names; the others stand in the journal beside it, up to the commit
that names this very snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from loom.engine.archive.decode import retired_by
from loom.engine.archive.workspace import Workspace
from loom.engine.snapshots.document import IndexedPage, Snapshot, indexed
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
from loom_paging.page import fetch
from loom_partitions.migrations import SCHEMA

PAGES = "outputs/"
UNREADABLE = (CorruptPage, MissingPage, OutsideStore, OSError)


def listed(folder: str, made: Snapshot, sha256: str) -> tuple[IndexedPage, ...]:
    """The pages there were when a snapshot was taken, in their order; those it indexes where the
    journal beside it cannot be read, or names no file with these bytes."""
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


def copied(
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
            data = _bytes(store, (page for page in same if page.name in there))
            if data is None:
                lost.update(page.name for page in same)
                continue
            clean = _redacted(data, redact)
            for page in same:
                workspace.adopt(page.name, clean)
    finally:
        store.close()
    return [page.name for page in pages if page.name in lost]


def _bytes(store: FileStore, pages: Iterable[IndexedPage]) -> bytes | None:
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
