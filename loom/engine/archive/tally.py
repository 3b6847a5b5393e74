"""How many entries a session stands on, and how many were undone."""

from __future__ import annotations

from msgspec import Struct

from loom.engine.archive.workspace import Workspace
from loom_partitions.records import Belated, Heard, Replied


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
    users = sum(isinstance(record, Heard | Belated) for record in records)
    return EntryCounts(index.steps - steps, index.turns - users, steps + users)
