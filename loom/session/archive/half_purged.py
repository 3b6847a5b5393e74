"""A workspace whose purge was cut short: a writer finishes the purge, readers are refused."""

from __future__ import annotations

from pathlib import Path

from loom.text import fit_repr
from loom_paging import rewriting
from loom_paging.rewriting import unfinished_rewrite_error

HINT = "; loom ps DIR tells of the workspaces in a folder, loom doctor where sessions lie"
NAMED = 3  # workspaces that are named


def check_readable(path: Path, *, others: tuple[str, ...]) -> None:
    """Raise FileNotFoundError if `path` holds no workspace, PagingError if a purge of the workspace
    or of a workspace that contains `path` is unfinished.

    `others` names the folders inside a workspace that hold further workspaces."""
    if not (path / "journal").is_dir():
        raise FileNotFoundError(no_workspace_message(path))
    if rewriting.is_unfinished(path):
        raise unfinished_rewrite_error(str(path))
    _check_parents(path, others)


def no_workspace_message(path: Path) -> str:
    """Return the error message for a path that is no workspace. The message names some of the
    workspaces in the folder, if any."""
    below = workspaces_in(path)
    names = ", ".join(fit_repr(one.name, 80) for one in below[:NAMED])
    lie = f"{len(below)} lie in it, the newest are" if len(below) > 1 else "one lies in it:"
    more = f"; {lie} {names}" if below else ""
    why = "it has no journal folder" if path.exists() else "there is no such folder"
    return f"{path} is no workspace: {why}{more or HINT}"


def workspaces_in(path: Path) -> list[Path]:
    """Return the workspaces directly inside a folder, the last changed first."""
    below = [one.parent for one in path.glob("*/journal") if one.is_dir()]
    return sorted(below, key=lambda one: (one / "journal").stat().st_mtime, reverse=True)


def _check_parents(path: Path, others: tuple[str, ...]) -> None:
    """Raise PagingError if a purge of a workspace that contains `path` is unfinished."""
    path = path.resolve()
    while path.parent.name in others:
        path = path.parent.parent
        if rewriting.is_unfinished(path):
            raise unfinished_rewrite_error(str(path))


def finish_purge(path: Path, *, others: tuple[str, ...]) -> None:
    """Finish an interrupted purge of the workspace `path`, whose lock the caller must hold. Raises
    PagingError when the purge of a workspace that contains `path` is unfinished."""
    # No other process has an inner workspace open: opening fails until the purge is finished.
    rewriting.carry_out(path)
    rewriting.FileChanges(path).discard()
    _check_parents(path, others)
