"""Derived views: `history/step_0007.json` and `.compact`, for a reader with only a file tool.

They are rebuildable, not durable, and named by no record.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import json

from loom.archive.restore import restore
from loom.workspace import Workspace


def write_views(workspace: Workspace, entries: Iterable[tuple[int, str]]) -> None:
    """Write the views of entries, each given with its compact line."""
    for entry, line in entries:
        restored = restore(workspace, entry)
        stem = f"history/{restored.name}"
        data = json.encode(restored)
        workspace.store.sketch(f"{stem}.json", json.format(data, indent=1))
        workspace.store.sketch(f"{stem}.compact", (line + "\n").encode("utf-8", "replace"))
