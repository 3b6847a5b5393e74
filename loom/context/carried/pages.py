"""Pages of the workspace a snapshot lies in, copied under the names they had there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from loom.engine.archive.workspace import Workspace
from loom.engine.snapshots.document import IndexedPage
from loom_paging import CorruptPage, FileStore, MissingPage, OutsideStore, PageRef, check_disk
from loom_paging.page import fetch

UNREADABLE = (CorruptPage, MissingPage, OutsideStore, OSError)


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
    lost = []
    try:
        for page in pages:
            data = _bytes(store, [page, *equal[page.sha256]])
            if data is None:
                lost.append(page.name)
            else:
                workspace.adopt(page.name, _redacted(data, redact))
    finally:
        store.close()
    return lost


def _bytes(store: FileStore, pages: Iterable[IndexedPage]) -> bytes | None:
    """The bytes of the first of these equal pages that is whole, None when none is."""
    for page in pages:
        try:
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
