"""The workspaces of a tree of agents, and which of their files are moved with them.

The workspace of one agent is called its home; the homes of the agents it spawned and of its forks
lie below it. Not moved are files that Loom makes again, as the search index, and files that belong
to one process, as the lock and files that are still being written."""

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
    """Return a pair (the home that a file lies in, the file's name in that home):
    `"agents/one/outputs/a"` → `("agents/one/", "outputs/a")`. The first agent's home is ""."""
    found = _HOME.fullmatch(name)
    return (found[1], found[2]) if found else ("", name)


def may_move(name: str) -> bool:
    """Return True for a file that is moved with its workspace and has a name that a store accepts.

    Packs are not moved: the pages in them are, under their own names. Files of git are not moved
    either, wherever they lie: a git hook among them would run."""
    rest = home_and_rest(name)[1].casefold()
    first = rest.partition("/")[0]
    if first in STAYS or first.startswith("index.db") or ".git" in rest.split("/"):
        return False
    return is_lawful(name)


def homes_in(root: Path) -> Iterator[Path]:
    """Yield a workspace and all folders of agents and forks below it, even where one is damaged;
    parents first."""
    yield root
    for below in homes_below(root):
        yield from homes_in(root / below)


def agents_in(root: Path) -> Iterator[Path]:
    """Return an iterator of a workspace and each workspace below it that has a journal."""
    return (home for home in homes_in(root) if home == root or (home / "journal").is_dir())


def homes_below(home: Path) -> list[str]:
    """Return the folders (`agents/one`) of the agents and forks directly below a workspace."""
    return [
        f"{kind}/{path.name}"
        for kind in (FOLDER, FORKS)
        if (home / kind).is_dir() and not (home / kind).is_symlink()
        for path in sorted((home / kind).iterdir())
        if path.is_dir() and not path.is_symlink() and is_lawful(path.name)
    ]


def home_prefix(root: Path, home: Path) -> str:
    """Return the path of the folder `home` below `root`, with a slash at its end; "" for the root
    itself."""
    return "" if home == root else f"{home.relative_to(root).as_posix()}/"


def lock_all(root: Path, held: ExitStack) -> None:
    """Lock every workspace of a tree until `held` is closed. A workspace on a read-only disk cannot
    be locked: it is only checked that no process has it open. Raises StoreLocked."""
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
