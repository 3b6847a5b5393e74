"""Where the agents of a workspace live, and the store of another agent.

A workspace belongs to one agent. The agents that it spawned live below it, in `agents/NAME/`, each
in a workspace of its own. Of another agent's store an agent reads the result alone."""

from __future__ import annotations

import shutil
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

from loom.errors import BadInput
from loom.lazy import lazy_re
from loom_paging import FileStore, Store
from loom_paging.names import TEMPORARY
from loom_paging.sub_store import SubStore, sub_store

MAIN = "main"
LONGEST = 80  # characters of an address
FOLDER, FORKS = "agents", "forks"
Home: TypeAlias = Path | Store
_NAME = lazy_re(r"[a-z0-9][a-z0-9_-]{0,39}")


def bad_agent_name(name: str, why: str) -> BadInput:
    """Return the error for a name that no agent can have, or that is taken."""
    return BadInput(f"no agent can be named {name[:60]!r}: {why}")


def checked_agent_name(name: str) -> str:
    """Return the name of an agent unchanged. Raises BadInput for a name that no agent can have."""
    if not _NAME.fullmatch(name):
        raise bad_agent_name(name, "up to 40 of a-z, 0-9, _ and -, the first no sign")
    return name


def home_of(home: Home, name: str, folder: str = FOLDER) -> Home:
    """Return where the agent called `name` lives, below the agent at `home`: a child, or with FORKS
    as `folder`, a fork."""
    at = f"{folder}/{checked_agent_name(name)}"
    return home / at if isinstance(home, Path) else sub_store(home, at)


def remove_broken_forks(home: Home) -> None:
    """Delete what is left of forks whose copying was cut short. Only the writer of the workspace
    may call this."""
    if isinstance(home, Path) and (home / FORKS).is_dir() and not (home / FORKS).is_symlink():
        for left in (home / FORKS).glob(f"{TEMPORARY}*"):
            remove_tree(left)


def remove_tree(path: Path) -> None:
    """Delete a folder, a file or a link; what a link leads to stays."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def parent_home(home: Home) -> Home:
    """Return where the parent of the agent at `home` lives."""
    return home.parent.parent if isinstance(home, Path) else getattr(home, "store", home)


def _ancestry(home: Home) -> tuple[Home, list[str]]:
    """Return where the first agent lives, which nobody spawned, and the names of the agents below
    it, from its child down to the agent at `home`."""
    names = list[str]()
    while (
        home.parent.name == FOLDER and was_opened(home.parent.parent)
        if isinstance(home, Path)
        else isinstance(home, SubStore) and home.folder.rpartition("/")[0] == FOLDER
    ):
        names.append(name_of(home))
        home = parent_home(home)
    return home, names[::-1]


def root_home(home: Home) -> Home:
    """Return where the first agent above the one at `home` lives: the agent that nobody spawned."""
    return _ancestry(home)[0]


def address_of(home: Home) -> str:
    """Return the names from the first agent's child down to the agent at `home`, joined by "/";
    MAIN for the first agent itself. Of an address over LONGEST characters, a digest and the last
    name."""
    _, names = _ancestry(home)
    said = "/".join(names) or MAIN
    if len(said) <= LONGEST:
        return said
    return f"…{blake2b(said.encode(), digest_size=8).hexdigest()}/{names[-1]}"


def folder_of(home: Home) -> str:
    """Return the folder of an agent within the first agent's store, "" for the first agent."""
    return "/".join(f"{FOLDER}/{name}" for name in _ancestry(home)[1])


def name_of(home: Home) -> str:
    """Return the name of the agent that lives at `home`."""
    return home.name if isinstance(home, Path | SubStore) else "agent"


def store_of(home: Home, like: Store) -> Store:
    """Return the store of the agent at `home`, to put a result into or read one from, without a
    lock.

    The store of a folder syncs its writes if `like` does, the store of the agent that asks."""
    return FileStore(home, durable=is_durable(like)) if isinstance(home, Path) else home


def is_durable(store: Store) -> bool:
    """Return True when a store syncs its writes, and for a store that does not say."""
    return bool(getattr(store, "durable", True))


def was_opened(home: Home) -> bool:
    """Return True when an agent has ever been opened at `home`."""
    if isinstance(home, Path):
        return (home / "journal").is_dir()
    return bool(home.names("journal/"))
