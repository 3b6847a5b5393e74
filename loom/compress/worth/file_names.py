"""The same file under several names: absolute here, relative there."""

from __future__ import annotations

import posixpath
from collections.abc import Set
from operator import eq

from msgspec import Struct

DEEP = 64  # parts of a name that are told apart; what is above them counts as one


class _Folder(Struct):
    """Names that end alike, by the part before: numbers of the first of them, of that which ends
    here, -1 for none. A part that only one name has before it leads to the number of that name.
    """

    first: int
    here: int = -1
    above: dict[str, _Folder | int] = {}


class FileNames:
    """Canonical names of files; a name that ends another at a folder's edge means the same.

    Of several it may mean it is the one that came first. Names are kept from their last part
    upwards, so none is compared with all others.
    """

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {}
        self._known: list[str] = []
        self._above: dict[str, _Folder | int] = {}
        self._told: dict[str, str] = {}  # a name that was told stays

    def name(self, path: str) -> str:
        """The canonical name of a path, "" for none."""
        told = self._told.get(path)
        if told is None:
            told = self._told[path] = self._name(path)
        return told

    def _name(self, path: str) -> str:
        path = path.strip().replace("\\", "/").removeprefix("./").rstrip("/")
        if not path:
            return ""
        parts = _parts(path)
        found = self._found(parts)
        if found is not None:
            return self._known[found]
        above, number = self._above, len(self._known)
        # No name ends another one, so before the parts are all followed there is a new one.
        for at, part in enumerate(parts, 1):
            folder = above.get(part)
            if folder is None:
                above[part] = number
                break
            if isinstance(folder, int):
                before = _parts(self._known[folder])[at : at + 1]
                ends = -1 if before else folder
                folder = above[part] = _Folder(folder, ends, dict.fromkeys(before, folder))
            above = folder.above
        self._known.append(path)
        self._names.setdefault(parts[0], []).append(path)
        return path

    def known(self, path: str) -> str:
        """The canonical name of a path that names a known file, "" for any other."""
        parts = _parts(path.replace("\\", "/").removeprefix("./").rstrip("/"))
        found = self._found(parts) if path else None
        return "" if found is None else self._known[found]

    def _found(self, parts: list[str]) -> int | None:
        """The number of the first name that these parts, the last first, end or that ends them."""
        found: list[int] = []
        above = self._above
        for at, part in enumerate(parts, 1):
            folder = above.get(part)
            if folder is None:
                break
            if isinstance(folder, int):
                if all(map(eq, _parts(self._known[folder]), parts)):
                    found.append(folder)
                break
            if folder.here >= 0:
                found.append(folder.here)
            if at == len(parts):
                found.append(folder.first)
            above = folder.above
        return min(found, default=None)

    def named(self, word: str) -> list[str]:
        """Canonical names of the files a bare file name may mean."""
        return self._names.get(word, [])

    def among(self, words: Set[str]) -> list[str]:
        """Canonical names of the files that these words may mean."""
        return [name for word in self._names.keys() & words for name in self._names[word]]


def _parts(path: str) -> list[str]:
    """The parts of a path, the last first."""
    return path.rsplit("/", DEEP)[::-1]


def may_be_same(one: str, two: str) -> bool:
    """False for two different absolute paths, though both may end as a relative one does."""
    absolute = one.startswith("/") and two.startswith("/")
    return not absolute or posixpath.normpath(one) == posixpath.normpath(two)
