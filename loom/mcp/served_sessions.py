"""Find the workspaces in a folder, and choose the one that a request means.

`loom serve` and `loom hook` keep a workspace for each session in a folder of their own. An MCP
request does not say which session it comes from, so the server serves the session used last among
those of the project it was started in, unless the request names a session. The asking model may
have been talked into a request by a file, so a session of another project is served only where the
user named it when starting the server, and no error tells the name of a session."""

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
    """A workspace that can be served. `name` is its path relative to the root folder. `used` is
    when its journal was last written, in nanoseconds since 1970."""

    name: str
    folder: Path
    used: int


def session_list(root: Path) -> list[ServedSession]:
    """Return the workspaces in `root`, the last used first, or only `root` if it is a workspace.
    Links are not followed."""
    if (root / JOURNAL).is_dir():
        return [ServedSession(root.name or str(root), root, _last_used(root))]
    found = (ServedSession(each.relative_to(root).as_posix(), each, _last_used(each))
             for each in _workspaces_below(root, DEPTH))  # fmt: skip
    return sorted(found, key=lambda one: (-one.used, one.name))


def choose_session(root: Path, name: str = "", project: str | None = None) -> ServedSession:
    """Return the session called `name`, or for "" the last used session. With `project`, only
    sessions of this project folder count. `name` is the session's path below `root`, or the last
    part of the path. Raises LoomError, with advice, if there is no such session."""
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
    """Return a line for the user that says why no session is served, if `root` has sessions but
    none of `project`; otherwise "". The line must name no session."""
    found = session_list(root) if not (root / JOURNAL).is_dir() else []
    if not found or any(belongs_to_project(one.folder, project) for one in found):
        return ""
    return (
        f"of {plural(len(found), 'workspace')} in {root} none is of the project {project}: `loom"
        " serve` records one for a client that it starts (`loom serve -- claude`); any other is"
        " served by `loom mcp --session NAME` alone"
    )


def _other_project_hint(project: str | None) -> str:
    """Return the end of an error message: how to serve another project's session. "" for None."""
    said = "; one of another project is served by `loom mcp --session NAME` alone"
    return said if project is not None else ""


def belongs_to_project(workspace: Path, project: str) -> bool:
    """Return True if the workspace was recorded for a folder of the project or, without a record,
    its own folder is in the project and not in Loom's state folder."""
    if recorded := project_of(workspace):
        return is_in_project(recorded, project)
    place = os.path.realpath(workspace)
    return is_in_project(place, project) and not is_in_project(place, os.path.realpath(home()))


def _workspaces_below(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the workspaces at most `depth` levels below a folder, but none inside a workspace."""
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
    """Return when the journal in `folder` was last written, in nanoseconds since 1970, or 0."""
    try:
        return max((one.stat().st_mtime_ns for one in os.scandir(folder / JOURNAL)), default=0)
    except OSError:
        return 0
