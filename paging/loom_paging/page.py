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
    """The reference of a page, as the journal stores it: name, sha256 in hex, size in bytes.
    `alias` is the name of the earlier page with equal bytes, "" for none."""

    name: str
    sha256: str
    size: int
    alias: str = ""


def seal(name: str, data: bytes, alias: str = "") -> PageRef:
    """Return the reference of a page with the name `name` and the bytes `data`. `alias` is the name
    of an earlier page with equal bytes."""
    return PageRef(name, sha256(data).hexdigest(), len(data), alias)


def fetch(store: ReadableStore, ref: PageRef, name: str = "") -> bytes:
    """Return the bytes of a page, checked against the sha256 and size in `ref`. `name`, if given,
    is another name of the same bytes, under which they are read. Raises MissingPage, and
    CorruptPage when the bytes have changed."""
    return verify(ref, store.read(name or ref.name, 0, ref.size + 1))


def verify(ref: PageRef, data: bytes) -> bytes:
    """Return `data` when its size and sha256 are those in `ref`. Raise CorruptPage otherwise."""
    found = sha256(data).hexdigest()
    if found != ref.sha256 or len(data) != ref.size:
        raise CorruptPage(ref.name, ref.sha256, found)
    return data


def save_snapshot(store: Store, number: int, data: bytes, retired: Container[str] = ()) -> PageRef:
    """Write snapshot `number` durably as `snapshots/working_0001.json`, and return its reference.
    When this name is in `retired` or holds other bytes, `snapshots/working_0001-2.json` is used, or
    `-3` and on. Raises PageExists when no name is left."""
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
