"""A workspace on an object store with the agents below it: a call goes to the store of its name.

Names of the workspace itself are in its log. Names of the bus and of results are objects that many
writers put. Names below `agents/NAME/` and `forks/NAME/` belong to another workspace, with a log
and a writer of its own, which may be a process elsewhere: that workspace is read as it is now, and
taken over only by a caller that writes to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from threading import RLock
from typing import Any, TypeVar

from loom_paging.errors import CorruptJournal, CorruptPage, PagingError
from loom_paging.names import checked_name
from loom_paging.remote.batch import ObjectSpan
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.leftovers import GRACE, StoreLeftovers
from loom_paging.remote.remote_store import RemoteStore
from loom_paging.remote.shared import SharedObjects, is_shared, may_overlap
from loom_paging.store import Store

BELOW = ("agents", "forks")
Made = TypeVar("Made")


class RemoteTree:
    """The store of a workspace together with the workspaces of the agents below it. For any thread.

    With `write` the log of this workspace is taken over at once; StoreLocked is raised while
    another writer's lease runs. Without `write` only shared objects (bus, results) can be written.
    """

    gathers = True

    def __init__(self, bucket: Bucket, *, write: bool, **options: Any) -> None:
        """Open the workspace. `options` are those of RemoteStore, used for workspaces below too."""
        self.path = bucket.place
        self.bucket = bucket
        self._options = options
        self._lock = RLock()
        self._own = RemoteStore(bucket, write=write, **options)
        self._writes = write
        self._shared = SharedObjects(bucket, self._flush_own)
        self._below: dict[str, RemoteTree] = {}

    def put(self, name: str, data: bytes) -> None:
        """Write a page. Raises PageExists when the name has other bytes."""
        self._call_owner(name, lambda store, rest: store.put(rest, data), write=True)

    def get(self, name: str) -> bytes:
        """Return all bytes under a name. Raises MissingPage for an unknown name."""
        return self._call_owner(name, lambda store, rest: store.get(rest))

    def has(self, name: str) -> bool:
        """Return True when a name holds bytes."""
        return self._call_owner(name, lambda store, rest: store.has(rest))

    def size(self, name: str) -> int:
        """Return the number of bytes under a name."""
        return self._call_owner(name, lambda store, rest: store.size(rest))

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` bytes under a name, from byte `offset` on."""
        return self._call_owner(name, lambda store, rest: store.read(rest, offset, length))

    def salvaged(self, name: str) -> bytes:
        """Return all bytes of a log. Zeros and a newline take the place of bytes in an unreadable
        object."""
        with self._lock:
            who, rest = self._owner_and_name(name, write=False, own=True)
            if isinstance(who, RemoteTree):
                return who.salvaged(rest)

            def part(at: ObjectSpan) -> bytes:
                with suppress(KeyError, CorruptPage, CorruptJournal):
                    return self._own._read_span(at)
                # A line with lost bytes fails its crc, and the next line is intact.
                return b"\0" * (at.length - 1) + b"\n"

            data = b"".join(map(part, self._own._fold.cell(rest).extents))
            return data + b"\n" * data.endswith(b"\0\n")  # else a torn end, that no call wrote

    def delete(self, name: str) -> None:
        """Remove one name. Raises MissingPage for an unknown name."""
        self._call_owner(name, lambda store, rest: store.delete(rest), write=True)

    def append(self, name: str, data: bytes) -> None:
        """Add bytes to the end of a log."""
        self._call_owner(name, lambda store, rest: store.append(rest, data), write=True, own=True)

    def truncate(self, name: str, size: int) -> None:
        """Shorten a log to its first `size` bytes."""
        self._call_owner(name, lambda store, rest: store.truncate(rest, size), write=True, own=True)

    def sketch(self, name: str, data: bytes) -> None:
        """Write or replace a file that can be rebuilt from others."""
        self._call_owner(name, lambda store, rest: store.sketch(rest, data), write=True)

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that start with a prefix, with the names of agents below, sorted."""
        with self._lock:
            if (place := _split_below(prefix)) is not None:
                folder, rest = place
                return [f"{folder}/{name}" for name in self._tree_below(folder).names(rest)]
            found = set(self._own.names(prefix))
            found.update(self._shared.names(prefix))
            for folder in self._folders_below(prefix):
                found.update(f"{folder}/{name}" for name in self._tree_below(folder).names())
            return sorted(name for name in found if name.startswith(prefix))

    def listed(self, damaged: Callable[[str, CorruptJournal], None]) -> list[str]:
        """Return all names of this workspace and of the workspaces below it, sorted. For a
        workspace below whose log is damaged, `damaged(folder, error)` is called instead."""
        with self._lock:
            found = [*self._own.names(), *self._shared.names()]
            for folder in self._folders_below():
                try:
                    below = self._tree_below(folder)
                except CorruptJournal as error:
                    damaged(folder, error)
                    continue

                def told(at: str, error: CorruptJournal, above: str = folder) -> None:
                    damaged(f"{above}/{at}", error)

                found += [f"{folder}/{name}" for name in below.listed(told)]
            return sorted(found)

    def link(self, existing: str, new: str) -> None:
        """Give the bytes of `existing` a second name, `new`. Both must belong to one workspace."""
        with self._lock:
            store, rest = self._owner_and_name(new, write=True, own=True)
            other, first = self._owner_and_name(existing, write=True, own=True)
            if other is not store:
                raise PagingError(f"{self.path}: {existing} and {new} are of two workspaces")
            store.link(first, rest)

    def refresh(self) -> None:
        """Read what other writers have written since the last read. For a tree opened to read."""
        with self._lock:
            self._own.refresh()
            self._below.clear()

    def whole(self) -> list[RemoteTree]:
        """Take over all workspaces below this one. Return a list of trees: this one, then the trees
        below. Raises StoreLocked while another writer's lease runs in any of them."""
        with self._lock:
            found = [self]
            for folder in self._folders_below():
                found += self._tree_below(folder, write=True).whole()
            return found

    def replace(self, changed: Mapping[str, bytes], removed: Iterable[str]) -> None:
        """Put bytes under names, replacing any others, and remove names. In each workspace either
        all changes happen or none; workspaces below come first."""
        with self._lock:
            parts: dict[str, tuple[dict[str, bytes], list[str]]] = {}
            for name, data in [*changed.items(), *((name, None) for name in removed)]:
                folder, rest = _split_below(name) or ("", name)
                into = parts.setdefault(folder, ({}, []))
                if data is None:
                    into[1].append(rest)
                else:
                    into[0][rest] = data
            for folder in sorted(filter(None, parts)):
                self._tree_below(folder, write=True).replace(*parts[folder])
            mine, gone = parts.get("", ({}, []))
            for name in filter(is_shared, mine):
                # Shared objects are put before this workspace's batch, and removed after it.
                self._shared.sketch(name, mine[name])
            self._own.replace(
                {name: data for name, data in mine.items() if not is_shared(name)},
                [name for name in gone if not is_shared(name)],
            )
            self.bucket.remove(filter(is_shared, gone))

    def damage(self) -> list[tuple[str, str, str]]:
        """Return a triple (folder of the workspace, key of the object, reason) for each object that
        a salvage left out, here and below."""
        with self._lock:
            found = [("", where, what) for where, what in self._own.damage]
            for folder in self._folders_below():
                below = self._tree_below(folder).damage()
                found += [(f"{folder}/{at}".rstrip("/"), where, what) for at, where, what in below]
            return found

    def leftovers(self, grace: float = GRACE) -> StoreLeftovers:
        """Return the objects older than `grace` seconds that nothing in this workspace needs."""
        with self._lock:
            return self._own.leftovers(grace)

    def sweep_objects(self, grace: float = GRACE) -> StoreLeftovers:
        """Put a checkpoint, then remove the objects that nothing needs, and return them."""
        with self._lock:
            self._own.checkpoint()
            return self._own.sweep(grace)

    def let_go(self, folder: str) -> None:
        """Close the workspace in a folder below, so that another process may write to it."""
        with self._lock:
            if (place := _split_below(f"{folder}/.")) is None:
                return
            known = self._below.get(place[0])
            if known is None:
                return
            if place[1] == ".":
                known.close()  # again, where an interrupt came
                self._below.pop(place[0], None)
            else:
                known.let_go(place[1].removesuffix("/."))

    def close(self) -> None:
        """End the leases. Writes that are not durable yet are lost. A second call is a no-op."""
        with self._lock:
            for one in self._below.values():
                one.close()
            self._below.clear()
            self._own.close()

    def _flush_own(self) -> None:
        """Make this workspace's writes durable, before a shared object is put or removed."""
        # A shared object may refer to these writes.
        if self._writes:
            self._own.flush()

    def _call_owner(
        self,
        name: str,
        act: Callable[[Store, str], Made],
        *,
        write: bool = False,
        own: bool = False,
    ) -> Made:
        """Call `act(store, rest)` and return the result. `store` is the store that owns the name,
        `rest` is the name in that store."""
        with self._lock:
            return act(*self._owner_and_name(name, write=write, own=own))

    def _owner_and_name(self, name: str, *, write: bool, own: bool) -> tuple[Any, str]:
        """Return (the store that owns a name, the name in that store). With `write` the owner is
        taken over for writing. With `own` a shared name raises PagingError."""
        if (place := _split_below(checked_name(name))) is not None:
            return self._tree_below(place[0], write=write), place[1]
        if not is_shared(name):
            return self._own, name
        if own:
            raise PagingError(f"{self.path}: {name} is a shared object, which never changes")
        return self._shared, name

    def _tree_below(self, folder: str, *, write: bool = False) -> RemoteTree:
        """Return the newest tree of the workspace in `folder`. With `write` it is taken over."""
        known = self._below.get(folder)
        if known is not None and (known._writes or not write):
            if not known._writes:
                known._own.refresh()
            return known
        bucket = self.bucket.below(folder)
        made = RemoteTree(bucket, write=write, **self._options)
        self._below[folder] = made
        return made

    def _folders_below(self, prefix: str = "") -> list[str]:
        """Return the folders of the workspaces below that can have names starting with `prefix`."""
        kinds = [kind for kind in BELOW if may_overlap(kind, prefix)]
        found = [f"{kind}/{name}" for kind in kinds for name in self.bucket.folders(kind)]
        return [folder for folder in found if may_overlap(folder, prefix)]


def _split_below(name: str) -> tuple[str, str] | None:
    """Return (folder of a workspace below, rest of the name): "agents/a/b/c" → ("agents/a", "b/c"),
    or None for a name of this workspace."""
    parts = name.split("/", 2)
    if len(parts) < 3 or parts[0] not in BELOW:
        return None
    return f"{parts[0]}/{parts[1]}", parts[2]
