"""A checkpoint, and the windows that are kept from the past, held against the whole journal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loom.session.archive.decode import records_of
from loom.session.archive.folded import FoldedJournal, kept_window
from loom.session.archive.workspace import Workspace
from loom_paging.checkpoint import past_commits
from loom_partitions.window import Window, fold


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
    ] + [*_untrue_past(workspace)]


def _untrue_past(workspace: Workspace) -> Iterator[str]:
    """Yield what is wrong with the windows that are kept from the past, where they are in use."""
    store, window = workspace.store, Window()
    kept = {number: kept_window(store, number) for number in past_commits(store)}
    for commit in workspace.journal.scan() if any(kept.values()) else ():
        window = fold(records_of(commit), window)
        if kept.get(commit.number) not in (None, window):
            yield (
                f"the window kept from commit {commit.number} is another one than the journal"
                " folds to"
            )


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
