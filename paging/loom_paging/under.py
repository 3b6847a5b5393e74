"""A store within a store: the names below one folder, as if there were no others."""

from __future__ import annotations

from loom_paging.names import checked
from loom_paging.store import Markable, Store


class Under:
    """The names of `store` that begin with `folder` and a slash, without it; see Store."""

    def __init__(self, store: Store, folder: str) -> None:
        """Raises OutsideStore when the folder is no name."""
        self.store = store
        self.folder = checked(folder)
        self._prefix = self.folder + "/"

    @property
    def name(self) -> str:
        """The last part of the folder."""
        return self.folder.rpartition("/")[2]

    @property
    def durable(self) -> bool:
        """True where the store it is in makes durable what is written."""
        return bool(getattr(self.store, "durable", True))

    @property
    def gathers(self) -> bool:
        """True where that store gathers what is written until it is asked to make it durable."""
        return bool(getattr(self.store, "gathers", False))

    def let_go(self, folder: str) -> None:
        """Whoever wrote below a folder has closed it: for a store that others wait to write to."""
        let_go = getattr(self.store, "let_go", None)
        if let_go is not None:
            let_go(self._name(folder))

    def close(self) -> None:
        """The one who has this folder open is done with it; the store stays open."""
        let_go = getattr(self.store, "let_go", None)
        if let_go is not None:
            let_go(self.folder)

    def _name(self, name: str) -> str:
        return self._prefix + checked(name)

    def put(self, name: str, data: bytes) -> None:
        """Write a page; see Store."""
        self.store.put(self._name(name), data)

    def get(self, name: str) -> bytes:
        """Return all bytes under a name; see Store."""
        return self.store.get(self._name(name))

    def has(self, name: str) -> bool:
        """Tell whether a name holds bytes; see Store."""
        return self.store.has(self._name(name))

    def names(self, prefix: str = "") -> list[str]:
        """List names that start with a prefix; see Store."""
        found = self.store.names(self._prefix + prefix)
        return [name.removeprefix(self._prefix) for name in found]

    def link(self, existing: str, new: str) -> None:
        """Make a second name; see Store."""
        self.store.link(self._name(existing), self._name(new))

    def delete(self, name: str) -> None:
        """Forget one name; see Store."""
        self.store.delete(self._name(name))

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a log; see Store."""
        self.store.append(self._name(name), data)

    def size(self, name: str) -> int:
        """Return the number of bytes under a name; see Store."""
        return self.store.size(self._name(name))

    def mark(self, name: str) -> tuple[int, ...]:
        """Return numbers that a change makes others; see Markable."""
        return self.store.mark(self._name(name)) if isinstance(self.store, Markable) else ()

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes from an offset; see Store."""
        return self.store.read(self._name(name), offset, length)

    def truncate(self, name: str, size: int) -> None:
        """Cut a log back; see Store."""
        self.store.truncate(self._name(name), size)

    def sketch(self, name: str, data: bytes) -> None:
        """Write a derived view; see Store."""
        self.store.sketch(self._name(name), data)
