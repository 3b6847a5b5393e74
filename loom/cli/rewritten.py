"""What a command made of a mirror, written to the store behind it, under the fence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from loom.cli.elsewhere import StoreMirror
from loom.repairing import BadRepair
from loom_paging.remote.address import tree_at
from loom_paging.remote.leftovers import NO_GRACE
from loom_paging.remote.tree import RemoteTree


@contextmanager
def rewritten(mirror: StoreMirror, *, write: bool) -> Iterator[None]:
    """Write to the store what is done to its mirror meanwhile, and remove all that lies there of
    before: old batches of the log, merged objects and pages.

    With `write` all workspaces there are taken over first: StoreLocked when one is at work.
    """
    if not write:
        yield
        return
    store = tree_at(mirror.address, write=True)
    if not isinstance(store, RemoteTree):
        store.close()  # type: ignore[attr-defined]
        yield  # an agent of another one, which the command refuses
        return
    try:
        trees = store.whole()
        mirror.fill()
        before = mirror.files()
        yield
        after = mirror.files()
        changed = {name: data for name, data in after.items() if before.get(name) != data}
        store.replace(changed, before.keys() - after.keys())
        for tree in trees:
            tree.sweep_objects(NO_GRACE)
    finally:
        store.close()


def uploaded(mirror: StoreMirror) -> None:
    """Write a mirror to the address it stands for. Raises BadRepair where anything is there."""
    store = tree_at(mirror.address, write=True)
    try:
        if not isinstance(store, RemoteTree):
            raise BadRepair(f"{mirror.address} lies in a workspace: name a place beside it")
        if store.names():
            raise BadRepair(f"{mirror.address} is there and not empty: name a new place")
        store.replace(mirror.files(), ())
    finally:
        close = getattr(store, "close", None)
        if close is not None:
            close()
