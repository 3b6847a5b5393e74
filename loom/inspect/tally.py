"""How many entries a session stands on, how many were undone; what its pages take."""

from __future__ import annotations

from msgspec import Struct

from loom.session.archive.workspace import Workspace
from loom_partitions.records import Heard, Replied


class EntryCounts(Struct, frozen=True):
    """Steps and messages of the user that a session stands on; `undone` are those it left."""

    steps: int
    users: int
    undone: int = 0


def entry_counts(workspace: Workspace) -> EntryCounts:
    """The counts of a workspace; only commits of entries that were undone are read."""
    index = workspace.index
    left = [made[0] for entry, made in index.commits.items() if index.is_undone(entry)]
    records = [record for number in dict.fromkeys(left) for record in workspace.records(number)]
    steps = sum(isinstance(record, Replied) for record in records)
    users = sum(isinstance(record, Heard) for record in records)
    return EntryCounts(index.steps - steps, index.turns - users, steps + users)


class PageTally(Struct, frozen=True):
    """Pages of outputs by their names, their `bytes` (the same ones once), and how many of them
    were `retired`, which are in neither."""

    pages: int
    bytes: int
    retired: int = 0


def page_tally(workspace: Workspace) -> PageTally:
    """The pages a workspace keeps, as every command and page counts them."""
    outputs = [ref for name, ref in workspace.pager.table.items() if name.startswith("outputs/")]
    kept = [ref for ref in outputs if ref.name not in workspace.pager.retired]
    size = sum({ref.sha256: ref.size for ref in kept}.values())
    return PageTally(len(kept), size, len(outputs) - len(kept))
