"""A workspace whose purge was cut short: ended by who opens it for writing, refused to others."""

from __future__ import annotations

from pathlib import Path

from loom.text import fit_repr
from loom_paging import rewriting
from loom_paging.rewriting import unfinished_rewrite_error

HINT = "; loom ps DIR tells of the workspaces in a folder, loom doctor where sessions lie"
NAMED = 3  # workspaces that are named


def check_readable(path: Path, *, others: tuple[str, ...]) -> None:
    """Raise FileNotFoundError where there is no workspace, PagingError for one half purged.

    It is half purged when one that it lies in is; `others` are the folders of a workspace that
    hold those below it.
    """
    if not (path / "journal").is_dir():
        raise FileNotFoundError(no_workspace_message(path))
    if rewriting.is_unfinished(path):
        raise unfinished_rewrite_error(str(path))
    _check_parents(path, others)


def no_workspace_message(path: Path) -> str:
    """What is said of a folder that is no workspace: which ones lie in it, the newest first."""
    below = workspaces_in(path)
    names = ", ".join(fit_repr(one.name, 80) for one in below[:NAMED])
    lie = f"{len(below)} lie in it, the newest are" if len(below) > 1 else "one lies in it:"
    more = f"; {lie} {names}" if below else ""
    why = "it has no journal folder" if path.exists() else "there is no such folder"
    return f"{path} is no workspace: {why}{more or HINT}"


def workspaces_in(path: Path) -> list[Path]:
    """The workspaces that lie in a folder, the newest first."""
    below = [one.parent for one in path.glob("*/journal") if one.is_dir()]
    return sorted(below, key=lambda one: (one / "journal").stat().st_mtime, reverse=True)


def _check_parents(path: Path, others: tuple[str, ...]) -> None:
    path = path.resolve()
    while path.parent.name in others:
        path = path.parent.parent
        if rewriting.is_unfinished(path):
            raise unfinished_rewrite_error(str(path))


def finish_purge(path: Path, *, others: tuple[str, ...]) -> None:
    """Carry a purge of this workspace to its end, for the one who holds its lock.

    Nobody has those below it open: they are refused until then. Raises PagingError when the
    purge is of one above.
    """
    rewriting.carry_out(path)
    rewriting.FileChanges(path).discard()
    _check_parents(path, others)
