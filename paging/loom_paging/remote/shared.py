"""Objects that many writers put, each under its own name: bus, agents' results, shared memory."""

from __future__ import annotations

from collections.abc import Callable

from loom_paging.errors import MissingPage, PageExists
from loom_paging.names import checked_name
from loom_paging.remote.bucket import Bucket
from loom_paging.store import span

FOLDERS = ("bus", "capsule", "memory")
FILES = ("capsule.json",)


def is_shared(name: str) -> bool:
    """Return True for a name of the bus, of agents' results or of shared memory."""
    return name in FILES or name.partition("/")[0] in FOLDERS


def may_overlap(folder: str, prefix: str) -> bool:
    """Return True when a name that starts with `prefix` can lie in `folder`: "bus", "b" → True."""
    return prefix.startswith(f"{folder}/") or f"{folder}/".startswith(prefix)


class SharedObjects:
    """The shared objects of one workspace. Each is written once, and every reader sees it at once.
    For any thread. `settle()` is called before an object is put or removed."""

    def __init__(self, bucket: Bucket, flush: Callable[[], None] = lambda: None) -> None:
        self._bucket, self._flush = bucket, flush

    def put(self, name: str, data: bytes) -> None:
        """Put bytes under a name. Raises PageExists when the name holds other bytes."""
        self._flush()
        if not self._bucket.create(checked_name(name), data):
            raise PageExists(name)

    def get(self, name: str) -> bytes:
        """Return all bytes under a name. Raises MissingPage for an unknown name."""
        try:
            return self._bucket.read(checked_name(name))
        except KeyError:
            raise MissingPage(name, self._bucket.place) from None

    def has(self, name: str) -> bool:
        """Return True when a name holds bytes."""
        return self._bucket.has(checked_name(name))

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that start with a prefix, sorted."""
        found = [name for name in FILES if name.startswith(prefix) and self._bucket.has(name)]
        for folder in FOLDERS:
            if may_overlap(folder, prefix):
                found += self._bucket.keys(folder)
        return sorted(name for name in found if name.startswith(prefix))

    def size(self, name: str) -> int:
        """Return the number of bytes under a name. Raises MissingPage for an unknown name."""
        try:
            return self._bucket.size(checked_name(name))
        except KeyError:
            raise MissingPage(name, self._bucket.place) from None

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` bytes under a name, from byte `offset` on. Raises MissingPage."""
        return self.get(name)[span(offset, length)]

    def delete(self, name: str) -> None:
        """Remove a name. Raises MissingPage for an unknown name."""
        self._flush()
        if not self.has(name):
            raise MissingPage(name, self._bucket.place)
        self._bucket.remove([name])

    def sketch(self, name: str, data: bytes) -> None:
        """Put bytes under a name, in place of any earlier bytes."""
        self._bucket.replace(checked_name(name), data)
