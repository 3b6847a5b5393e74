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
    """Return the error for an agent name that is not allowed or taken; `why` is the reason."""
    return BadInput(f"no agent can be named {name[:60]!r}: {why}")


def checked_agent_name(name: str) -> str:
    """Return the name unchanged. Raises BadInput if no agent can have it."""
    if not _NAME.fullmatch(name):
        raise bad_agent_name(name, "up to 40 of a-z, 0-9, _ and -, the first no sign")
    return name


def home_of(home: Home, name: str, folder: str = FOLDER) -> Home:
    """Return the folder or store of the child `name` of the agent at `home`; with `folder` FORKS,
    of the fork `name`."""
    at = f"{folder}/{checked_agent_name(name)}"
    return home / at if isinstance(home, Path) else sub_store(home, at)


def remove_broken_forks(home: Home) -> None:
    """Delete incomplete copies that interrupted forks left in the folder `home`. Call it only while
    holding the workspace's write lock."""
    if isinstance(home, Path) and (home / FORKS).is_dir() and not (home / FORKS).is_symlink():
        for left in (home / FORKS).glob(f"{TEMPORARY}*"):
            remove_tree(left)


def remove_tree(path: Path) -> None:
    """Delete a folder, a file or a link. The target of a link is kept."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def parent_home(home: Home) -> Home:
    """Return the folder or store of the parent of the agent at `home`."""
    return home.parent.parent if isinstance(home, Path) else getattr(home, "store", home)


def _ancestry(home: Home) -> tuple[Home, list[str]]:
    """Return the folder or store of the root agent (the one nobody spawned), and the names of the
    agents on the path from its child down to the agent at `home`."""
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
    """Return the folder or store of the root agent above the agent at `home`."""
    return _ancestry(home)[0]


def address_of(home: Home) -> str:
    """Return an agent's address: the names from the root agent's child down, such as
    "survey/reader-1"; MAIN for the root agent. An address over LONGEST characters becomes
    "…digest/last-name"."""
    _, names = _ancestry(home)
    said = "/".join(names) or MAIN
    if len(said) <= LONGEST:
        return said
    return f"…{blake2b(said.encode(), digest_size=8).hexdigest()}/{names[-1]}"


def folder_of(home: Home) -> str:
    """Return an agent's folder in the root agent's store: "agents/a/agents/b"; "" for the root."""
    return "/".join(f"{FOLDER}/{name}" for name in _ancestry(home)[1])


def name_of(home: Home) -> str:
    """Return the name of the agent at `home`; "agent" for a top-level store."""
    return home.name if isinstance(home, Path | SubStore) else "agent"


def store_of(home: Home, like: Store) -> Store:
    """Return the store of the agent at `home`, opened without a lock. In a folder, writes are
    synced to disk if the store `like` syncs its own."""
    return FileStore(home, durable=is_durable(like)) if isinstance(home, Path) else home


def is_durable(store: Store) -> bool:
    """Return True if a store syncs its writes to disk, or does not tell."""
    return bool(getattr(store, "durable", True))


def was_opened(home: Home) -> bool:
    """Return True if the folder or store `home` has a journal."""
    if isinstance(home, Path):
        return (home / "journal").is_dir()
    return bool(home.names("journal/"))
