"""Which workspaces a folder holds, and which of them is meant.

`loom serve` and `loom hook` keep a workspace for each session in a folder of theirs. A request of
MCP does not say which session it comes from, so the one used last is served, unless it is named:
of those of the project the server was started in. Who asks may have been talked into it by a file,
so a session of another project is served only where the user named it as he started the server, and
an error tells no name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from loom.errors import LoomError
from loom.home import home, is_in_project, project_of
from loom.reduce.lines import plural
from loom.text import one_line

JOURNAL = "journal"
DEPTH = 2  # folders below the one that was given: `hook/SESSION`


class ServedSession(Struct, frozen=True):
    """A workspace: its path below the folder that was given, and when its journal was written last
    (nanoseconds since the epoch)."""

    name: str
    folder: Path
    used: int


def session_list(root: Path) -> list[ServedSession]:
    """The workspaces in a folder, or the one it is; the last used first. Links are not followed."""
    if (root / JOURNAL).is_dir():
        return [ServedSession(root.name or str(root), root, _last_used(root))]
    found = (ServedSession(each.relative_to(root).as_posix(), each, _last_used(each))
             for each in _workspaces_below(root, DEPTH))  # fmt: skip
    return sorted(found, key=lambda one: (-one.used, one.name))


def choose_session(root: Path, name: str = "", project: str | None = None) -> ServedSession:
    """The session of that name, or the one used last; with a `project`, of those that are its.

    A name is the path below the folder, or its last part. Raises LoomError, which says what to do.
    """
    found = (one for one in session_list(root) if not name or name in (one.name, one.folder.name))
    chosen = next(
        (one for one in found if project is None or belongs_to_project(one.folder, project)), None
    )
    if chosen is None and name:
        raise LoomError(
            f"there is no session {one_line(name, 80)!r} here{_other_project_hint(project)}"
        )
    if chosen is None:
        whose = f" of the project {project}" if project is not None else ""
        raise LoomError(
            f"there is no workspace{whose} in {root} yet: start the client by `loom serve --` or"
            f" with `loom hook`, or name a workspace (loom mcp DIR){_other_project_hint(project)};"
            " `loom doctor` tells what is set up"
        )
    return chosen


def why_unserved(root: Path, project: str) -> str:
    """Why a server of the project has no session though the folder has some, in a line that names
    none; "" where it has one, or there is none."""
    found = session_list(root) if not (root / JOURNAL).is_dir() else []
    if not found or any(belongs_to_project(one.folder, project) for one in found):
        return ""
    return (
        f"of {plural(len(found), 'workspace')} in {root} none is of the project {project}: `loom"
        " serve` records one for a client that it starts (`loom serve -- claude`); any other is"
        " served by `loom mcp --session NAME` alone"
    )


def _other_project_hint(project: str | None) -> str:
    said = "; one of another project is served by `loom mcp --session NAME` alone"
    return said if project is not None else ""


def belongs_to_project(workspace: Path, project: str) -> bool:
    """True for a workspace recorded for a folder of the project; one for which none was recorded is
    of where it lies, but for those of the state folder, which are nobody's."""
    if recorded := project_of(workspace):
        return is_in_project(recorded, project)
    place = os.path.realpath(workspace)
    return is_in_project(place, project) and not is_in_project(place, os.path.realpath(home()))


def _workspaces_below(folder: Path, depth: int) -> Iterator[Path]:
    """The workspaces below a folder; not the agents and forks that lie in a workspace."""
    try:
        inside = [Path(one.path) for one in os.scandir(folder) if one.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for each in inside:
        if (each / JOURNAL).is_dir():
            yield each
        elif depth > 1:
            yield from _workspaces_below(each, depth - 1)


def _last_used(folder: Path) -> int:
    try:
        return max((one.stat().st_mtime_ns for one in os.scandir(folder / JOURNAL)), default=0)
    except OSError:
        return 0
