"""Canonical names of the files of facts, without a search for those that are like no other.

Theory of operation
-------------------
`FileNames` gives a path the name of the first one that ends as it does, so what it says depends on
the order. Most paths end as no other does, and their name is their own in any order. Which those
are is remembered between digests, by every ending of the paths seen; only the others are asked for
one by one. More paths remembered than facts have costs time and changes nothing: a path that is
like one of another digest alone gets its own name from `FileNames`, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from loom.compress.worth.file_names import FileNames

PATHS = 2_048  # that are remembered; with more all are forgotten, and seen again


class Endings:
    """Paths seen, as they were written, and which of them are like another.

    `alone` gives each path that is like no other its name. `looked` counts the paths that were held
    against the others: counted work, for guards.
    """

    def __init__(self) -> None:
        self.alone: dict[str, str] = {}
        self.looked = 0
        self._seen: set[str] = set()
        self._written: dict[str, list[str]] = {}  # a name → how it was written
        self._by_ending: dict[str, list[str]] = {}  # an ending → the longer names that have it
        self._lock = Lock()

    def note(self, paths: Iterable[str]) -> None:
        """Look at those of the paths that were not seen before."""
        new = [path for path in dict.fromkeys(paths) if path not in self._seen]
        with self._lock:
            for path in new:
                self._note(path)

    def _note(self, path: str) -> None:
        self.looked += 1
        name = plain(path.strip())
        written = self._written.setdefault(name, [])
        written.append(path)
        if len(written) == 1:
            like = list(self._by_ending.get(name, ()))
            parts = name.split("/")
            for start in range(1, len(parts)):
                ending = "/".join(parts[start:])
                self._by_ending.setdefault(ending, []).append(name)
                like += [ending] if ending in self._written else []
            for other in like:
                for one in self._written[other]:
                    self.alone.pop(one, None)
            self._alone(path, name, not like)
        else:
            self._alone(path, name, written[0] in self.alone)
        self._seen.add(path)

    def _alone(self, path: str, name: str, alone: bool) -> None:
        if alone and name:
            self.alone[path] = name

    @property
    def full(self) -> bool:
        """True when there are too many to be kept."""
        return len(self._seen) > PATHS


def plain(path: str) -> str:
    """A path in the spelling names are compared in."""
    return path.replace("\\", "/").removeprefix("./").rstrip("/")


class FactNames:
    """The names `FileNames` gives paths that are told in order, all of which are given first."""

    seen = Endings()

    def __init__(self, paths: Iterable[str]) -> None:
        if FactNames.seen.full:
            FactNames.seen = Endings()
        endings = FactNames.seen
        endings.note(paths)
        self._alone = endings.alone
        self._files = FileNames()
        self._told: dict[str, None] = {}

    def name(self, path: str) -> str:
        """The canonical name of a path, "" for none."""
        name = self._alone.get(path)
        if name is None:
            name = self._files.name(path)
        self._told[name] = None
        return name

    def known(self, path: str) -> str:
        """The canonical name of a path that names a file told before, "" for any other."""
        path = plain(path)
        if not path:
            return ""
        below = f"/{path}"
        like = (name for name in self._told if name and (
            name == path or name.endswith(below) or path.endswith(f"/{name}")
        ))  # fmt: skip
        return next(like, "")
