"""Write a changed mirror back to the store behind it, as its only writer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from loom.elsewhere.mirror import StoreMirror
from loom.moving.errors import PlaceTaken
from loom_paging.remote.address import tree_at
from loom_paging.remote.leftovers import NO_GRACE
from loom_paging.remote.tree import RemoteTree


@contextmanager
def rewritten(mirror: StoreMirror, *, write: bool) -> Iterator[None]:
    """Write to the store what is done to its mirror meanwhile, and remove all that lies there of
    before: old batches of the log, merged objects and pages.

    With `write` all workspaces there are taken over first: StoreLocked when one is at work; then
    the mirror is filled anew. Where the block raises, nothing is written.
    """
    if not write:
        yield
        return
    store = tree_at(mirror.address, write=True)
    if not isinstance(store, RemoteTree):
        raise TypeError(f"{mirror.address} is an agent of another one: rewrite that one")
    try:
        trees = store.whole()
        mirror.forget()
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
    """Write a mirror to the address it stands for. Raises PlaceTaken where anything is there."""
    store = tree_at(mirror.address, write=False)
    if not isinstance(store, RemoteTree):
        raise PlaceTaken(mirror.address, "it lies in a workspace")
    if store.names():
        raise PlaceTaken(mirror.address)
    store = tree_at(mirror.address, write=True)
    assert isinstance(store, RemoteTree)
    try:
        store.replace(mirror.files(), ())
    finally:
        store.close()
