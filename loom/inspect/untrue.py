"""A checkpoint held against the whole journal."""

from __future__ import annotations

from typing import Any

from loom.session.archive.folded import FoldedJournal
from loom.session.archive.workspace import Workspace


def untrue(workspace: Workspace) -> list[str]:
    """The differences between a checkpoint and the journal; none where no checkpoint is in use.

    A checkpoint that is damaged, or of another version of Loom, is not in use.
    """
    kept, folded = FoldedJournal.newest(workspace.store), FoldedJournal(workspace.store)
    for commit in workspace.journal.scan():
        if commit.number > kept.commits:
            break
        folded.take(commit)
    pairs = zip(_parts(kept), _parts(folded), strict=True)
    return [
        f"{name} is another one than the journal folds to at commit {kept.commits}"
        for (name, one), (_, other) in pairs
        if one != other
    ]


def _parts(folded: FoldedJournal) -> list[tuple[str, Any]]:
    """The parts of a fold that are compared, by name."""
    index = folded.index
    return [
        ("the window", folded.window),
        ("the count of pages", folded.pages),
        ("the time of commits", (folded.began, folded.at)),
        ("the newest snapshot", folded.snapshotted),
        ("the page table", dict(folded.pager.table)),
        ("the list of retired pages", dict(folded.pager.retired)),
        ("the list of promoted pages", folded.promoted),
        ("the uses of pages", (index.used, index.pages, index.typed)),
        ("the index of entries", index.commits),
        ("the index of items", index.items),
        ("the index of requests", index.requests),
        ("the index of calls", index.calls),
        ("the index of keys", index.keys),
        ("the list of goals", index.goals),
        ("the index of agents", (index.spawned, index.joined)),
        ("the count of steps", (index.steps, index.turns)),
        ("the index of files read and edited", index.since.rows),
    ]
