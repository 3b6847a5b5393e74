"""Which files of a workspace go along when it is moved, and how they may be named.

A workspace is the home of one agent, and below it lie those of the agents it began and of its
forks. What is made again where it is missing, or is of this process alone, stays: the lock, the
search index, files not yet in place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from loom.lazy import lazy_re
from loom_paging.names import LOCK, lawful, parents
from loom_paging.packs import FOLDER as PACKS

BELOW = ("agents", "forks")  # folders in which the homes of further agents lie
STAYS = (LOCK.casefold(), PACKS)
_HOME = lazy_re(r"((?:(?:agents|forks)/[^/]+/)*)(.+)", re.DOTALL)


def home_and_rest(name: str) -> tuple[str, str]:
    """The home a file lies in ("" for that of the first agent, else with a slash behind), and its
    name there."""
    found = _HOME.fullmatch(name)
    return (found[1], found[2]) if found else ("", name)


def goes_along(name: str) -> bool:
    """True for a file that is part of a moved workspace; its name is one a store can have.

    A pack does not go along: what is in it does, under its own name. Nor does what git takes for
    its own, wherever it lies: a hook there would run.
    """
    rest = home_and_rest(name)[1].casefold()
    first = rest.partition("/")[0]
    if first in STAYS or first.startswith("index.db") or ".git" in rest.split("/"):
        return False
    return lawful(name)


def homes_in(root: Path) -> Iterator[str]:
    """Yield the homes below a folder as `home_and_rest` names them, each before those below it."""
    yield from _homes(root, "")


def homes_of(names: Iterable[str]) -> list[str]:
    """The homes that names of files lie in and that have a journal, sorted."""
    split = map(home_and_rest, names)
    return sorted({home for home, rest in split if rest.startswith("journal/")})


def _homes(root: Path, home: str) -> Iterator[str]:
    yield home
    for kind in BELOW:
        folder = root / home / kind
        if folder.is_dir() and not folder.is_symlink():
            for each in sorted(folder.iterdir()):
                name = f"{home}{kind}/{each.name}"
                if lawful(name) and each.is_dir() and not each.is_symlink():
                    yield from _homes(root, name + "/")


class DistinctNames:
    """Names taken one after the other, told apart on every file system."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def clash(self, name: str) -> str:
        """Take a name; the one before it that it cannot be told from everywhere, "" for none."""
        for folder in parents(name):
            key = _folded(folder)
            known = self._files.get(key) or self._folders.setdefault(key, folder)
            if known != folder or key in self._files:
                return known
        key = _folded(name)
        known = self._folders.get(key, "") or self._files.get(key, "")
        self._files.setdefault(key, name)
        return known


def _folded(name: str) -> str:
    """A name as a file system may have it that knows no case and one way to write an accent."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
