"""The workspaces of a tree, one in the other, and which of their files go along where they move.

A workspace is the home of one agent, and below it lie those of the agents it began and of its
forks. What is made again where it is missing, or is of this process alone, stays: the lock, the
search index, files not yet in place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from errno import EACCES, EPERM, EROFS
from pathlib import Path

from loom.capabilities.agents.place import FOLDER, FORKS
from loom.lazy import lazy_re
from loom_paging import Lock, StoreLocked, writer_of
from loom_paging.names import LOCK, is_lawful
from loom_paging.packs import FOLDER as PACKS

STAYS = (LOCK.casefold(), PACKS)
READ_ONLY = frozenset({EACCES, EPERM, EROFS})
_HOME = lazy_re(rf"((?:(?:{FOLDER}|{FORKS})/[^/]+/)*)(.+)", re.DOTALL)


def home_and_rest(name: str) -> tuple[str, str]:
    """The home a file lies in ("" for that of the first agent, else with a slash behind), and its
    name there."""
    found = _HOME.fullmatch(name)
    return (found[1], found[2]) if found else ("", name)


def may_move(name: str) -> bool:
    """True for a file that is part of a moved workspace; its name is one a store can have.

    A pack does not go along: what is in it does, under its own name. Nor does what git takes for
    its own, wherever it lies: a hook there would run.
    """
    rest = home_and_rest(name)[1].casefold()
    first = rest.partition("/")[0]
    if first in STAYS or first.startswith("index.db") or ".git" in rest.split("/"):
        return False
    return is_lawful(name)


def homes_in(root: Path) -> Iterator[Path]:
    """Yield a workspace and those below it, however damaged, each before those below it."""
    yield root
    for below in homes_below(root):
        yield from homes_in(root / below)


def agents_in(root: Path) -> Iterator[Path]:
    """Yield a workspace and those below it that have a journal."""
    return (home for home in homes_in(root) if home == root or (home / "journal").is_dir())


def homes_below(home: Path) -> list[str]:
    """The folders of the agents and forks of one workspace, by their names in it."""
    return [
        f"{kind}/{path.name}"
        for kind in (FOLDER, FORKS)
        if (home / kind).is_dir() and not (home / kind).is_symlink()
        for path in sorted((home / kind).iterdir())
        if path.is_dir() and not path.is_symlink() and is_lawful(path.name)
    ]


def home_prefix(root: Path, home: Path) -> str:
    """Return the path of a home below `root`, with a slash at its end; "" for the root itself."""
    return "" if home == root else f"{home.relative_to(root).as_posix()}/"


def lock_all(root: Path, held: ExitStack) -> None:
    """Lock every workspace of a tree while `held` is open; one that cannot be written to is only
    asked. Raises StoreLocked."""
    for home in homes_in(root):
        lock = Lock(home)
        try:
            lock.acquire()
        except OSError as error:  # a disk that failed is mounted to be read alone
            if error.errno not in READ_ONLY:
                raise
            if (writer := writer_of(home)) is not None:
                raise StoreLocked(str(home), f"process {writer}") from error
            continue
        held.callback(lock.release)
