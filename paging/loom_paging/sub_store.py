"""A store within a store: the names below one folder, as if there were no others."""

from __future__ import annotations

from typing import Any, cast

from loom_paging.names import checked_name
from loom_paging.store import Markable, Store

# What is that of the outer store: by itself, or called with a name, which is one below the folder.
SAME = frozenset({"durable", "gathers"})
NAMED = frozenset(
    {
        *("put", "get", "has", "delete", "append", "size", "read", "truncate", "sketch", "let_go"),
        "salvaged",
    }
)


class SubStore:
    """A store of the names of `store` that lie below `folder`, given without this folder.

    Members of `store` in SAME are passed on unchanged, methods in NAMED with the folder put in
    front of their name argument."""

    def __init__(self, store: Store, folder: str) -> None:
        """Raise OutsideStore when the folder is not a valid name."""
        self.store = store
        self.folder = checked_name(folder)
        self._prefix = self.folder + "/"

    def __getattr__(self, what: str) -> Any:
        if what not in SAME | NAMED:
            raise AttributeError(what)
        held = getattr(self.store, what)
        if what in SAME:
            return held
        return lambda name, *given: held(self._prefix + checked_name(name), *given)

    @property
    def name(self) -> str:
        """The last part of the folder's name."""
        return self.folder.rpartition("/")[2]

    def close(self) -> None:
        """Tell the outer store that this folder is no longer written to. The outer store stays
        open. No-op for a store without leases."""
        let_go = getattr(self.store, "let_go", None)
        if let_go is not None:
            let_go(self.folder)

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that start with a prefix, without the folder."""
        found = self.store.names(self._prefix + prefix)
        return [name.removeprefix(self._prefix) for name in found]

    def link(self, existing: str, new: str) -> None:
        """Give the bytes of `existing` a second name, `new`, in this folder."""
        self.store.link(self._prefix + checked_name(existing), self._prefix + checked_name(new))

    def mark(self, name: str) -> tuple[int, ...]:
        """Return numbers that change whenever the bytes of a name change, () when unknown."""
        named = self._prefix + checked_name(name)
        return self.store.mark(named) if isinstance(self.store, Markable) else ()


def sub_store(store: Store, folder: str) -> Store:
    """Return a store of the names below a folder. Raises OutsideStore for a bad folder name."""
    return cast("Store", SubStore(store, folder))
