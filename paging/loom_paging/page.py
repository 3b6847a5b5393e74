"""A page: removed text at rest, known by its name and the sha256 of its bytes.

A snapshot is a page too: the working partition as it stood at a renewal or checkpoint."""

from __future__ import annotations

from collections.abc import Container
from hashlib import sha256

import msgspec

from loom_paging.errors import CorruptPage, PageExists
from loom_paging.store import ReadableStore, Store

_TRIES = 1_000  # a file where the folder should be takes every name


class PageRef(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The name and seal of a page, as the journal keeps them.

    `sha256` is hex, `size` is in bytes. `alias` names an earlier page of equal bytes, or is ""."""

    name: str
    sha256: str
    size: int
    alias: str = ""


def seal(name: str, data: bytes, alias: str = "") -> PageRef:
    """Return the reference of a page with these bytes, by which any later change shows."""
    return PageRef(name, sha256(data).hexdigest(), len(data), alias)


def fetch(store: ReadableStore, ref: PageRef, name: str = "") -> bytes:
    """Return the bytes of the page that `ref` sealed, read under its name or `name`, and verified.

    Reads at most one byte more than the page should have. Raises MissingPage, CorruptPage."""
    return verify(ref, store.read(name or ref.name, 0, ref.size + 1))


def verify(ref: PageRef, data: bytes) -> bytes:
    """Return `data` when it is what `ref` sealed; raise CorruptPage otherwise."""
    found = sha256(data).hexdigest()
    if found != ref.sha256 or len(data) != ref.size:
        raise CorruptPage(ref.name, ref.sha256, found)
    return data


def save_snapshot(store: Store, number: int, data: bytes, retired: Container[str] = ()) -> PageRef:
    """Write snapshot `number` durably as `snapshots/working_0001.json` and return its reference.

    A crash can leave a snapshot that no record names. When other bytes hold the name, or the name
    is in `retired`, the next free name is used: `working_0001-2.json` and so on, since a page is
    never rewritten. Raises PageExists when no name is left."""
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
