"""The same file under several names: absolute here, relative there."""

from __future__ import annotations

import posixpath
from collections.abc import Set

DEEP = 64  # parts of a name that are told apart; what is above them counts as one


class FileNames:
    """Canonical names of files; a name that ends another at a folder's edge means the same.

    Of several it may mean it is the one that came first.
    """

    def __init__(self) -> None:
        self._names: dict[str, int] = {}  # canonical names, with their numbers
        self._ending: dict[str, str] = {}  # the first of those that end so
        self._bare: dict[str, list[str]] = {}  # those of each bare file name
        self._told: dict[str, str] = {}  # a name that was told stays

    def name(self, path: str) -> str:
        """The canonical name of a path, "" for none."""
        if path not in self._told:
            self._told[path] = self._name(_plain(path.strip()))
        return self._told[path]

    def _name(self, path: str) -> str:
        if not path:
            return ""
        if known := self._known(path):
            return known
        self._names[path] = len(self._names)
        for ending in _endings(path):
            self._ending.setdefault(ending, path)
        self._bare.setdefault(path.rpartition("/")[2], []).append(path)
        return path

    def known(self, path: str) -> str:
        """The canonical name of a path that names a known file, "" for any other."""
        return self._known(_plain(path))

    def _known(self, path: str) -> str:
        same = [ending for ending in _endings(path) if ending in self._names]
        same += [self._ending[path]] if path in self._ending else []
        return min(same, key=self._names.__getitem__, default="")

    def among(self, words: Set[str]) -> list[str]:
        """Canonical names of the files that these words may mean."""
        return [name for word in self._bare.keys() & words for name in self._bare[word]]


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./").rstrip("/")


def _endings(path: str) -> list[str]:
    """A path from each of its folders on, the whole first."""
    parts = path.rsplit("/", DEEP)
    return ["/".join(parts[at:]) for at in range(len(parts))]


def may_be_same(one: str, two: str) -> bool:
    """False for two different absolute paths, though both may end as a relative one does."""
    absolute = one.startswith("/") and two.startswith("/")
    return not absolute or posixpath.normpath(one) == posixpath.normpath(two)
