"""A checkpoint compared with the whole journal."""

from __future__ import annotations

from collections.abc import Callable

from loom.session.archive.folded_journal import FoldedJournal
from loom.session.archive.workspace import Workspace


def checkpoint_differences(workspace: Workspace) -> list[str]:
    """Return a sentence for each part of the checkpoint that differs from the journal; [] for no
    difference or no usable checkpoint."""
    kept, folded = FoldedJournal.newest(workspace.store), FoldedJournal(workspace.store)
    for commit in workspace.journal.scan():
        if commit.number > kept.commits:
            break
        folded.take(commit)
    return [
        f"{name} is another one than the journal folds to at commit {kept.commits}"
        for name, part in PARTS.items()
        if part(kept) != part(folded)
    ]


# The parts of a fold that are compared, by name.
PARTS: dict[str, Callable[[FoldedJournal], object]] = {
    "the window": lambda folded: folded.window,
    "the count of pages": lambda folded: folded.pages,
    "the time of commits": lambda folded: (folded.began, folded.at),
    "the newest snapshot": lambda folded: folded.snapshotted,
    "the page table": lambda folded: dict(folded.pager.table),
    "the list of retired pages": lambda folded: dict(folded.pager.retired),
    "the list of promoted pages": lambda folded: folded.promoted,
    "the uses of pages": lambda f: (f.index.used, f.index.pages, f.index.typed),
    "the index of entries": lambda folded: folded.index.commits,
    "the index of items": lambda folded: folded.index.items,
    "the index of requests": lambda folded: folded.index.requests,
    "the index of calls": lambda folded: folded.index.calls,
    "the index of keys": lambda folded: folded.index.keys,
    "the list of goals": lambda folded: folded.index.goals,
    "the index of agents": lambda folded: (folded.index.spawned, folded.index.joined),
    "the count of steps": lambda folded: (folded.index.steps, folded.index.turns),
    "the index of files read and edited": lambda folded: folded.index.file_history.rows,
}
