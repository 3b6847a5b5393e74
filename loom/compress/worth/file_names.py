"""One name for a file that has several paths: absolute here, relative there."""

from __future__ import annotations

import posixpath
from collections.abc import Set
from functools import lru_cache


class FileNames:
    """Canonical names for file paths. A relative path and an absolute path that ends with it name
    the same file: "src/a.py" and "/home/me/src/a.py". Two different absolute paths are two files,
    and so are two different relative paths."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # what was told, and its canonical name
        self._absolute: dict[str, list[str]] = {}  # by the bare name of the file, as they came
        self._alone: dict[str, list[str]] = {}  # relative ones that no absolute one ends with

    def name(self, path: str) -> str:
        """Return the canonical name of a path, and remember the path. "" for an empty path."""
        path = _normal_path(path.strip())
        if path and path not in self._names:
            name, bare = self._name_of_same_file(path) or path, path.rpartition("/")[2]
            self._names[path] = name
            if _is_absolute(path):
                self._absolute.setdefault(bare, []).append(path)
                if name != path:
                    self._alone[bare].remove(name)
            elif name == path:
                self._alone.setdefault(bare, []).append(path)
        return self._names.get(path, "")

    def known(self, path: str) -> str:
        """Return the canonical name of the file that a path names; "" if the file is not known."""
        path = _normal_path(path)
        return self._names.get(path) or self._name_of_same_file(path)

    def _name_of_same_file(self, path: str) -> str:
        """Return the canonical name of a known file that `path` also names, "" if there is none."""
        bare = path.rpartition("/")[2]
        if _is_absolute(path):
            same = (one for one in self._alone.get(bare, ()) if path.endswith(f"/{one}"))
            return max(same, key=len, default="")
        ending = f"/{path}"
        told = (one for one in self._absolute.get(bare, ()) if one.endswith(ending))
        return self._names.get(next(told, ""), "")

    def within(self, folder: str) -> list[str]:
        """Return the canonical names of the known files in a folder. "." means all files."""
        start = _normal_path(folder) + "/"
        names = dict.fromkeys(self._names.values())
        return [
            one for one in names if start == "./" or one.startswith(start) or f"/{start}" in one
        ]

    def names_among(self, words: Set[str]) -> list[str]:
        """Return the canonical names of the known files whose name without folder is in `words`."""
        paths = (
            path for by_bare in (self._absolute, self._alone)
            for word in by_bare.keys() & words for path in by_bare[word]
        )  # fmt: skip
        return list(dict.fromkeys(map(self._names.__getitem__, paths)))


@lru_cache(maxsize=1_024)
def _normal_path(path: str) -> str:
    """Return a path with forward slashes and without `.` and `..` parts; "" for ""."""
    path = path.replace("\\", "/")
    return posixpath.normpath(path) if path else ""


def _is_absolute(path: str) -> bool:
    return path[:1] in ("/", "~") or path[1:3] == ":/"
