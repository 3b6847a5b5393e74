"""A workspace whose purge was cut short: ended by who opens it for writing, refused to others."""

from __future__ import annotations

from pathlib import Path

from loom_paging import rewriting
from loom_paging.rewriting import UnfinishedRewrite


def check_readable(path: Path, *, others: tuple[str, ...]) -> None:
    """Raise FileNotFoundError where there is no workspace, UnfinishedRewrite for one half purged.

    It is half purged when one that it lies in is; `others` are the folders of a workspace that
    hold those below it.
    """
    if not (path / "journal").is_dir():
        raise FileNotFoundError(f"{path} is no workspace: it has no journal folder")
    if rewriting.unfinished(path):
        raise UnfinishedRewrite(str(path))
    _check_above(path, others)


def _check_above(path: Path, others: tuple[str, ...]) -> None:
    path = path.resolve()
    while path.parent.name in others:
        path = path.parent.parent
        if rewriting.unfinished(path):
            raise UnfinishedRewrite(str(path))


def end(path: Path, *, others: tuple[str, ...]) -> None:
    """Carry a purge of this workspace to its end, for the one who holds its lock.

    Nobody has those below it open: they are refused until then. Raises UnfinishedRewrite when the
    purge is of one above.
    """
    rewriting.carry_out(path)
    rewriting.discard(path)
    _check_above(path, others)
