"""A workspace whose purge was cut short: ended by who opens it for writing, refused to others."""

from __future__ import annotations

from pathlib import Path

from loom_paging import rewriting
from loom_paging.rewriting import UnfinishedRewrite


def refuse(path: Path, *, others: tuple[str, ...]) -> None:
    """Raise UnfinishedRewrite when a workspace, or one it lies in, is half purged.

    `others` are the folders of a workspace that hold those below it.
    """
    if rewriting.unfinished(path):
        raise UnfinishedRewrite(str(path))
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
    refuse(path, others=others)
