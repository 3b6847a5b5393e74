"""Files of a store put into packs, and taken out again; cut short anywhere nothing is lost.

A pack is written whole and durable before a plain file goes, and what it says is read back first. A
plain file is durable before a pack goes. So every name has its bytes at any moment, at times twice.
"""

from __future__ import annotations

from collections.abc import Collection

from loom_paging.files import FileStore
from loom_paging.packfile import PackFile, packed
from loom_paging.packs import FOLDER


def pack(store: FileStore, names: Collection[str]) -> None:
    """Put what lies under these names into a pack, in this order, and remove their plain files.

    What is packed already only loses its plain file, where both hold the same bytes.
    """
    fresh = [name for name in names if store.packs.find(name) is None]
    if fresh:
        members = ((name, store.get(name)) for name in fresh)
        store.put(store.packs.following(), packed(members))
    store.remove_plain([name for name in names if _holds(store, name)])


def unpack(store: FileStore) -> None:
    """Give all that is packed plain files again, and remove the packs. Raises CorruptPage."""
    for held in store.packs.all():
        for name in held.index.members:
            store.plain(name)
        store.delete(f"{FOLDER}/{held.path.name}")


def drop(store: FileStore, names: Collection[str]) -> None:
    """Take names out of the packs that hold them, each pack made anew once; others are no matter.

    Raises CorruptPage, with the packs after it as they were.
    """
    packs: dict[str, tuple[PackFile, list[str]]] = {}
    for name in names:
        held = store.packs.find(name)
        if held is not None:
            packs.setdefault(held.path.name, (held, []))[1].append(name)
    for held, without in packs.values():
        store.packs.repack(held, without, store.put, store.delete)


def _holds(store: FileStore, name: str) -> bool:
    """True when a pack has the very bytes of a plain file."""
    data = store.get(name)
    return store.packs.read(name, 0, len(data) + 1) == data
