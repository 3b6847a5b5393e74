"""Counts of a workspace: entries, undone entries, pages and their bytes."""

from __future__ import annotations

from msgspec import Struct

from loom.session.archive.workspace import Workspace
from loom_partitions.records import Heard, Replied


class EntryCounts(Struct, frozen=True):
    """How many steps and user's messages are in the session, and how many entries were undone."""

    steps: int
    users: int
    undone: int = 0


def entry_counts(workspace: Workspace) -> EntryCounts:
    """Count the entries of a workspace. Of the journal only commits of undone entries are read."""
    index = workspace.index
    left = [made[0] for entry, made in index.commits.items() if index.is_undone(entry)]
    records = [record for number in dict.fromkeys(left) for record in workspace.records(number)]
    steps = sum(isinstance(record, Replied) for record in records)
    users = sum(isinstance(record, Heard) for record in records)
    return EntryCounts(index.steps - steps, index.turns - users, steps + users)


class PageTally(Struct, frozen=True):
    """The number of pages of outputs, and their `bytes` (equal pages count once). `retired` counts
    the pages that were let go."""

    pages: int
    bytes: int
    retired: int = 0


def page_tally(workspace: Workspace) -> PageTally:
    """Count the pages of a workspace, for all commands."""
    outputs = [ref for name, ref in workspace.pager.table.items() if name.startswith("outputs/")]
    kept = [ref for ref in outputs if ref.name not in workspace.pager.retired]
    size = sum({ref.sha256: ref.size for ref in kept}.values())
    return PageTally(len(kept), size, len(outputs) - len(kept))
