"""The workspaces of a tree of agents, and which of their files are moved with them.

The folder of one agent's workspace is called its home. The homes of its forks and of the agents it
spawned lie below it. Some files are not moved: those that Loom makes again, such as the search
index, and those that belong to one process, such as the lock and half-written files."""

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
    """Return a pair (workspace folder, file name in that folder): `"agents/one/outputs/a"` →
    `("agents/one/", "outputs/a")`. The folder is "" for the first agent."""
    found = _HOME.fullmatch(name)
    return (found[1], found[2]) if found else ("", name)


def may_move(name: str) -> bool:
    """Return True if the file `name` is moved with its workspace and a store accepts its name.
    Files of git are never moved, since a git hook among them would run."""
    rest = home_and_rest(name)[1].casefold()
    first = rest.partition("/")[0]
    # The pages in a pack (PACKS) are moved under their own names.
    if first in STAYS or first.startswith("index.db") or ".git" in rest.split("/"):
        return False
    return is_lawful(name)


def homes_in(root: Path) -> Iterator[Path]:
    """Yield the paths of the workspace `root` and of all workspaces below it, parents first.
    Damaged workspaces are included."""
    yield root
    for below in homes_below(root):
        yield from homes_in(root / below)


def agents_in(root: Path) -> Iterator[Path]:
    """Return an iterator over `root` and the path of each workspace below it that has a journal."""
    return (home for home in homes_in(root) if home == root or (home / "journal").is_dir())


def homes_below(home: Path) -> list[str]:
    """Return the folders (`agents/one`) of the agents and forks directly below the workspace
    `home`."""
    return [
        f"{kind}/{path.name}"
        for kind in (FOLDER, FORKS)
        if (home / kind).is_dir() and not (home / kind).is_symlink()
        for path in sorted((home / kind).iterdir())
        if path.is_dir() and not path.is_symlink() and is_lawful(path.name)
    ]


def home_prefix(root: Path, home: Path) -> str:
    """Return the path of the folder `home` relative to `root`, with a slash at its end, or "" for
    `root`."""
    return "" if home == root else f"{home.relative_to(root).as_posix()}/"


def lock_all(root: Path, held: ExitStack) -> None:
    """Lock the workspace `root` and all workspaces below it until the ExitStack `held` is closed.
    On a read-only disk, only check that no process has a workspace open. Raises StoreLocked."""
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
