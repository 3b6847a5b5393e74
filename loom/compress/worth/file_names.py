"""The same file under several names: absolute here, relative there."""

from __future__ import annotations

import posixpath
from collections.abc import Set

DEEP = 64  # parts of a name that are told apart; what is above them counts as one


class FileNames:
    """Canonical names of files. A relative name that an absolute one ends with means the same file.

    Of several absolute names it may mean it is the one that came first. Two absolute names are two
    files, and so are two relative ones: from where each is told is not known.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # what was told, and its canonical name
        self._ending: dict[str, str] = {}  # the first absolute name that ends so, canonical
        self._alone: set[str] = set()  # relative names that no absolute one ends with
        self._bare: dict[str, list[str]] = {}  # canonical names of each bare file name

    def name(self, path: str) -> str:
        """The canonical name of a path, "" for none."""
        path = _plain(path.strip())
        if path and path not in self._names:
            name = self._names[path] = self.known(path) or path
            if _is_absolute(path):
                self._alone.discard(name)
                for ending in _endings(path):
                    self._ending.setdefault(ending, name)
            elif name == path:
                self._alone.add(path)
            if name == path:
                self._bare.setdefault(path.rpartition("/")[2], []).append(path)
        return self._names.get(path, "")

    def known(self, path: str) -> str:
        """The canonical name of a path that names a known file, "" for any other."""
        path = _plain(path)
        if path in self._names:
            return self._names[path]
        if _is_absolute(path):
            return next((ending for ending in _endings(path) if ending in self._alone), "")
        return self._ending.get(path, "")

    def within(self, folder: str) -> list[str]:
        """Canonical names of the files in a folder, "." for all."""
        start = _plain(folder) + "/"
        names = dict.fromkeys(self._names.values())
        return [
            one for one in names if start == "./" or one.startswith(start) or f"/{start}" in one
        ]

    def among(self, words: Set[str]) -> list[str]:
        """Canonical names of the files that these words may mean."""
        return [name for word in self._bare.keys() & words for name in self._bare[word]]


def _plain(path: str) -> str:
    path = path.replace("\\", "/")
    return posixpath.normpath(path) if path else ""


def _is_absolute(path: str) -> bool:
    return path[:1] in ("/", "~") or path[1:3] == ":/"


def _endings(path: str) -> list[str]:
    """A path from each of its folders on, the longest first."""
    parts = path.rsplit("/", DEEP)
    return ["/".join(parts[at:]) for at in range(1, len(parts))]
