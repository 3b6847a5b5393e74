"""Derived views: `history/step_0007.json` and `.compact`, for a reader with only a file tool.

They are rebuildable, not durable, and named by no record.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.archive.reading import UNREADABLE
from loom.archive.restore import as_json, restore
from loom.archive.workspace import Workspace


def write_views(workspace: Workspace, entries: Iterable[tuple[int, str]]) -> None:
    """Write the views of entries, each given with its compact line; what is damaged has none."""
    for entry, line in entries:
        try:
            restored = restore(workspace, entry)
        except UNREADABLE:
            continue
        stem = f"history/{restored.name}"
        workspace.store.sketch(f"{stem}.json", as_json(restored).encode())
        workspace.store.sketch(f"{stem}.compact", (line + "\n").encode("utf-8", "replace"))
