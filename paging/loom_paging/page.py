"""A page: removed text at rest, known by its name and the sha256 of its bytes.

A snapshot is one too: the working partition as it stood at a renewal or checkpoint.
"""

from __future__ import annotations

from collections.abc import Container
from hashlib import sha256

import msgspec

from loom_paging.errors import CorruptPage, PageExists
from loom_paging.store import ReadableStore, Store

_TRIES = 1_000  # a file where the folder should be takes every name


class PageRef(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The name and seal of a page, as the journal keeps them.

    `sha256` is hex, `size` is in bytes. `alias` names the page that held equal bytes first, and is
    empty when this one does.
    """

    name: str
    sha256: str
    size: int
    alias: str = ""


def seal(name: str, data: bytes, alias: str = "") -> PageRef:
    """Describe `data` so that any later change to it can be seen."""
    return PageRef(name, sha256(data).hexdigest(), len(data), alias)


def fetch(store: ReadableStore, ref: PageRef, name: str = "") -> bytes:
    """Read and verify the page `ref` sealed, under its name or another.

    At most a byte more than it should have is read. Raises MissingPage, and CorruptPage when it
    changed.
    """
    return verify(ref, store.read(name or ref.name, 0, ref.size + 1))


def verify(ref: PageRef, data: bytes) -> bytes:
    """Return `data` when it is what `ref` sealed; raise CorruptPage otherwise."""
    found = sha256(data).hexdigest()
    if found != ref.sha256 or len(data) != ref.size:
        raise CorruptPage(ref.name, ref.sha256, found)
    return data


def save_snapshot(store: Store, number: int, data: bytes, retired: Container[str] = ()) -> PageRef:
    """Write snapshot `number` durably as `snapshots/working_0001.json` and describe it.

    A crash can leave a snapshot no record names. When other bytes hold the name, the new ones go
    beside them, as `working_0001-2.json` and so on: a page is never rewritten, and the name of one
    that was `retired` stays taken. Raises PageExists when there is no name left.
    """
    for attempt in range(1, _TRIES + 1):
        suffix = f"-{attempt}" if attempt > 1 else ""
        name = f"snapshots/working_{number:04d}{suffix}.json"
        if name in retired:
            continue
        try:
            store.put(name, data)
        except PageExists:
            continue
        return seal(name, data)
    raise PageExists(name)
