"""Where the agents of a workspace live, and how one looks into the store of another.

A workspace is one agent's; those it spawned live below it, in `agents/NAME/`, each a workspace of
its own. An agent knows of another's store the result alone.
"""

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
    """The error for a name no agent can have, or one that is taken."""
    return BadInput(f"no agent can be named {name[:60]!r}: {why}")


def checked_agent_name(name: str) -> str:
    """The name of an agent; raises BadInput."""
    if not _NAME.fullmatch(name):
        raise bad_agent_name(name, "up to 40 of a-z, 0-9, _ and -, the first no sign")
    return name


def home_of(home: Home, name: str, folder: str = FOLDER) -> Home:
    """Where the agent of that name lives, below the one who lives at `home`; in FORKS, a fork."""
    at = f"{folder}/{checked_agent_name(name)}"
    return home / at if isinstance(home, Path) else sub_store(home, at)


def remove_broken_forks(home: Home) -> None:
    """Remove what is left of forks that were cut short; for the one writer only."""
    if isinstance(home, Path) and (home / FORKS).is_dir() and not (home / FORKS).is_symlink():
        for left in (home / FORKS).glob(f"{TEMPORARY}*"):
            remove_tree(left)


def remove_tree(path: Path) -> None:
    """Remove a folder, or what lies in its place: what a link leads to stays."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def parent_home(home: Home) -> Home:
    """Where the one lives that spawned the agent at `home`."""
    return home.parent.parent if isinstance(home, Path) else getattr(home, "store", home)


def _ancestry(home: Home) -> tuple[Home, list[str]]:
    """Where the first of all the agents above lives, spawned by nobody, and the names from its
    child down to the agent at `home`."""
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
    """Where the first of all the agents above lives: it was spawned by nobody."""
    return _ancestry(home)[0]


def address_of(home: Home) -> str:
    """The names from the first agent down, MAIN for that one itself."""
    _, names = _ancestry(home)
    said = "/".join(names) or MAIN
    if len(said) <= LONGEST:
        return said
    return f"…{blake2b(said.encode(), digest_size=8).hexdigest()}/{names[-1]}"


def folder_of(home: Home) -> str:
    """The folder of an agent within the store of the first one above it, "" for that one."""
    return "/".join(f"{FOLDER}/{name}" for name in _ancestry(home)[1])


def name_of(home: Home) -> str:
    """The name of the agent that lives there."""
    return home.name if isinstance(home, Path | SubStore) else "agent"


def store_of(home: Home, like: Store) -> Store:
    """The store of an agent, to put a result in or to read one. Nothing is locked.

    It is as durable as that of the agent who asks, `like`.
    """
    return FileStore(home, durable=is_durable(like)) if isinstance(home, Path) else home


def is_durable(store: Store) -> bool:
    """True when a store syncs its writes; taken as true of one that does not say."""
    return bool(getattr(store, "durable", True))


def was_opened(home: Home) -> bool:
    """True when an agent has ever been opened there."""
    if isinstance(home, Path):
        return (home / "journal").is_dir()
    return bool(home.names("journal/"))
