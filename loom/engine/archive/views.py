"""Derived views: `history/step_0007.json` and `.compact`, for a reader with only a file tool.

They are rebuildable, not durable, and named by no record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from loom.compress.entry_line import line
from loom.engine.archive.reading import UNREADABLE
from loom.engine.archive.restore import as_json, restore
from loom.engine.archive.workspace import Workspace
from loom_partitions.edits import Edit, Folded
from loom_partitions.message import Detail, Digest
from loom_partitions.window import Window


def lowered(
    window: Window, edits: Sequence[Edit], read: Callable[[str], str]
) -> list[tuple[int, str]]:
    """(entry, compact line) of the entries that lose detail by edits: their views are written."""
    if not edits:
        return []
    folds = [edit for edit in edits if isinstance(edit, Folded)]
    ids = {edit.entry for edit in edits if not isinstance(edit, Folded)}
    return [
        (entry.id, line(entry, Detail.COMPACT, read))
        for entry in window.history.stream.entries
        if not isinstance(entry, Digest)
        and entry.detail < Detail.REDUCED
        and (entry.id in ids or any(fold.takes(entry.id) for fold in folds))
    ]


def write_views(workspace: Workspace, entries: Iterable[tuple[int, str]]) -> None:
    """Write the views of entries, each given with its compact line; what is damaged has none."""
    for entry, said in entries:
        try:
            restored = restore(workspace, entry)
        except UNREADABLE:
            continue
        stem = f"history/{restored.name}"
        workspace.store.sketch(f"{stem}.json", as_json(restored).encode())
        workspace.store.sketch(f"{stem}.compact", (said + "\n").encode("utf-8", "replace"))
