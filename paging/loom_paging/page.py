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
    """The reference of a page: its name, and what proves its bytes unchanged. The journal stores
    it.

    `sha256` is hex, `size` is in bytes. `alias` is the name of the earlier page with equal bytes,
    "" when there is none."""

    name: str
    sha256: str
    size: int
    alias: str = ""


def seal(name: str, data: bytes, alias: str = "") -> PageRef:
    """Return the reference of a page with these bytes; its sha256 shows any later change."""
    return PageRef(name, sha256(data).hexdigest(), len(data), alias)


def fetch(store: ReadableStore, ref: PageRef, name: str = "") -> bytes:
    """Return the bytes of a page, checked against `ref`. They are read under `name` if one is given
    (another name of the same bytes), else under the name in `ref`.

    Reads at most one byte more than `ref.size`. Raises MissingPage, and CorruptPage when the bytes
    changed."""
    return verify(ref, store.read(name or ref.name, 0, ref.size + 1))


def verify(ref: PageRef, data: bytes) -> bytes:
    """Return `data` when its size and sha256 are those in `ref`; raise CorruptPage otherwise."""
    found = sha256(data).hexdigest()
    if found != ref.sha256 or len(data) != ref.size:
        raise CorruptPage(ref.name, ref.sha256, found)
    return data


def save_snapshot(store: Store, number: int, data: bytes, retired: Container[str] = ()) -> PageRef:
    """Write snapshot `number` durably as `snapshots/working_0001.json` and return its reference.

    When the name is taken by other bytes (a snapshot that a crash left), or is in `retired`, the
    next free name is used: `working_0001-2.json` and so on, since a page is never rewritten. Raises
    PageExists when no name is left."""
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
