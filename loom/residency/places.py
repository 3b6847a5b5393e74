"""The same file under several names: absolute here, relative there."""

from __future__ import annotations


class Files:
    """Canonical names of files; a name that ends another at a folder's edge means the same."""

    def __init__(self) -> None:
        self._names: dict[str, list[str]] = {}

    def name(self, path: str) -> str:
        """The canonical name of a path, "" for none."""
        path = path.strip().replace("\\", "/").removeprefix("./").rstrip("/")
        if not path:
            return ""
        known = self._names.setdefault(path.rpartition("/")[2], [])
        for one in known:
            if one == path or one.endswith("/" + path) or path.endswith("/" + one):
                return one
        known.append(path)
        return path

    def named(self, word: str) -> list[str]:
        """Canonical names of the files a bare file name may mean."""
        return self._names.get(word, [])
