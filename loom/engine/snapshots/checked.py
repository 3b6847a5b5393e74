"""The newest snapshot held against the window the journal folds to."""

from __future__ import annotations

from collections.abc import Callable

from loom.engine.archive.workspace import Workspace
from loom.engine.snapshots.document import BadSnapshot, Snapshot, read
from loom_paging import CorruptPage, MissingPage, OutsideStore, check_disk
from loom_paging.errors import made_again
from loom_paging.snapshot import load
from loom_partitions.working import Working

UNREADABLE = (CorruptPage, MissingPage, OutsideStore, OSError)
# The members of the dashboard that stand in C_working too.
STORED = (
    ("goal_progress", "progress"),
    ("depth", "depth"),
    ("interrupt_requested", "interrupt"),
)


class SnapshotWarning(UserWarning):
    """The newest snapshot of a workspace is damaged, or says other than its journal.

    The journal is the truth, so the workspace opens by it. `snapshot` is the file in question,
    `commit` the number of the commit that names it, `what` is the matter, `damaged` tells a file
    that changed from one that says something else.
    """

    def __init__(self, snapshot: str, commit: int, what: str, *, damaged: bool) -> None:
        self.snapshot, self.commit, self.what, self.damaged = snapshot, commit, what, damaged
        super().__init__(
            f"snapshot {snapshot} and commit {commit} of the journal, which names it, do not agree:"
            f" {what}. The journal stands; `loom check` names all damage"
        )

    def __reduce__(self) -> tuple[Callable[..., Exception], tuple[object, ...]]:
        """Say how the warning is made again: not by its message."""
        return made_again, (type(self), self.args, vars(self))


def disagreement(workspace: Workspace) -> SnapshotWarning | None:
    """Hold the newest snapshot against the journal: the warning, or None when they agree or there
    is no snapshot. Only that one file is read."""
    if workspace.folded.snapshotted is None:
        return None
    commit, name, working = workspace.folded.snapshotted
    ref = workspace.pager.table.get(name)
    if name in workspace.pager.retired:  # a repair told of it
        return None
    if ref is None:
        return SnapshotWarning(name, commit, "no commit has it among its pages", damaged=True)
    try:
        made = read(load(workspace.store, ref), name)
    except UNREADABLE as error:
        check_disk(error)
        return SnapshotWarning(name, commit, str(error), damaged=True)
    except BadSnapshot as error:
        return SnapshotWarning(name, commit, str(error), damaged=False)
    differ = _differing(made, working)
    if not differ:
        return None
    what = f"{', '.join(differ)} {'is' if len(differ) == 1 else 'are'} not as the journal folds"
    return SnapshotWarning(name, commit, what, damaged=False)


def _differing(made: Snapshot | Working, folded: Working) -> list[str]:
    """Members of C_working that a snapshot has otherwise."""
    held = made if isinstance(made, Working) else made.working
    differ = [
        name for name in Working.__struct_fields__ if getattr(held, name) != getattr(folded, name)
    ]
    if isinstance(made, Snapshot):
        differ += [
            f"dashboard.{shown}"
            for shown, stored in STORED
            if getattr(made.dashboard, shown) != getattr(folded, stored)
        ]
    return differ
