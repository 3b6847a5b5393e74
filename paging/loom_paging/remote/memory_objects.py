"""Objects that live as long as the process, for `memory://name`, with obstore's methods."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from threading import Lock
from typing import Any


class MemoryObjects:
    """Objects in a dictionary, for any thread. Each method has the name and result of the obstore
    function that `Bucket` calls. A missing key raises FileNotFoundError."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[bytes, datetime]] = {}
        self._one = Lock()  # a key is looked for and taken in one step

    def put(self, key: str, data: bytes, *, mode: str = "overwrite") -> None:
        """Put `data` under `key`. With `mode="create"` a taken key raises FileExistsError."""
        with self._one:
            if mode == "create" and key in self._held:
                raise FileExistsError(key)
            self._held[key] = bytes(data), datetime.now(UTC)

    def head(self, key: str) -> dict[str, Any]:
        """Return a dict with the "path", "size" and "last_modified" time of an object."""
        data, modified = self._held_object(key)
        return {"path": key, "size": len(data), "last_modified": modified}

    def get(self, key: str) -> ReadObject:
        """Return an object; its `bytes` method gives the content."""
        return ReadObject(self._held_object(key)[0])

    def delete(self, key: str) -> None:
        """Remove an object."""
        self._held_object(key)
        with self._one:
            self._held.pop(key, None)

    def list(self, *, prefix: str = "", offset: str = "") -> Iterator[list[dict[str, Any]]]:
        """Yield a single list with all objects below the folder `prefix` whose key comes after
        `offset`, as dicts like those of `head`."""
        folder = f"{prefix.rstrip('/')}/" if prefix else ""
        with self._one:
            found = sorted(key for key in self._held if key.startswith(folder) and key > offset)
        yield [self.head(key) for key in found]

    def list_with_delimiter(self, *, prefix: str | None = None) -> dict[str, Any]:
        """Return a dict of what lies directly below a folder: its folders ("common_prefixes") and
        its objects as dicts ("objects")."""
        folder = f"{(prefix or '').rstrip('/')}/" if prefix else ""
        [objects] = self.list(prefix=folder)
        inner = {one["path"][len(folder) :].partition("/")[0] for one in objects
                 if "/" in one["path"][len(folder) :]}  # fmt: skip
        direct = [one for one in objects if "/" not in one["path"][len(folder) :]]
        return {"common_prefixes": [folder + name for name in sorted(inner)], "objects": direct}

    def _held_object(self, key: str) -> tuple[bytes, datetime]:
        try:
            return self._held[key]
        except KeyError:
            raise FileNotFoundError(key) from None


class ReadObject:
    """The result of `MemoryObjects.get`, with the same method as obstore's result."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def bytes(self) -> bytes:
        """Return all bytes of the object."""
        return self._data
