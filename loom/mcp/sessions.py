"""Which workspaces a folder holds, and which of them is meant.

`loom serve` and `loom hook` keep a workspace for each session in a folder of theirs. A request of
MCP does not say which session it comes from, so the one used last is served, unless it is named.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from loom.errors import LoomError
from loom.text import one_line

JOURNAL = "journal"
DEPTH = 2  # folders below the one that was given: `hook/SESSION`
NAMED = 5  # sessions an error lists


class ServedSession(Struct, frozen=True):
    """A workspace: its path below the folder that was given, and when its journal was written last
    (nanoseconds since the epoch)."""

    name: str
    folder: Path
    used: int


def sessions(root: Path) -> list[ServedSession]:
    """The workspaces in a folder, or the one it is; the last used first. Links are not followed."""
    if (root / JOURNAL).is_dir():
        return [ServedSession(root.name or str(root), root, _used(root))]
    found = (ServedSession(each.relative_to(root).as_posix(), each, _used(each))
             for each in _below(root, DEPTH))  # fmt: skip
    return sorted(found, key=lambda one: (-one.used, one.name))


def session(root: Path, name: str = "") -> ServedSession:
    """The session of that name, or the one used last. Raises LoomError, which says what to do.

    A name is the path below the folder, or its last part.
    """
    found = sessions(root)
    if not found:
        raise LoomError(
            f"there is no workspace in {root} yet: start the client behind `loom serve` or with"
            " `loom hook`, or name a workspace (loom mcp DIR); `loom doctor` tells what is set up"
        )
    meant = (one for one in found if not name or name in (one.name, one.folder.name))
    chosen = next(meant, None)
    if chosen is None:
        known = ", ".join(one.name for one in found[:NAMED])
        raise LoomError(f"there is no session {one_line(name, 80)!r}; the last used: {known}")
    return chosen


def _below(folder: Path, depth: int) -> Iterator[Path]:
    """The workspaces below a folder; not the agents and forks that lie in a workspace."""
    try:
        inside = [Path(one.path) for one in os.scandir(folder) if one.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for each in inside:
        if (each / JOURNAL).is_dir():
            yield each
        elif depth > 1:
            yield from _below(each, depth - 1)


def _used(folder: Path) -> int:
    try:
        return max((one.stat().st_mtime_ns for one in os.scandir(folder / JOURNAL)), default=0)
    except OSError:
        return 0
