"""Snapshots: the working partition as it stood at a renewal or checkpoint, one file each."""

from __future__ import annotations

from collections.abc import Container

from loom_paging.errors import PageExists
from loom_paging.page import PageRef, fetch, seal
from loom_paging.store import Store

_TRIES = 1_000  # a file where the folder should be takes every name


def save(store: Store, number: int, data: bytes, retired: Container[str] = ()) -> PageRef:
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


def load(store: Store, ref: PageRef) -> bytes:
    """Return the bytes of a snapshot; MissingPage, or CorruptPage when they changed."""
    return fetch(store, ref)
