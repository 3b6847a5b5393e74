"""What a workspace holds: its journal, its files, and whether its window is lawful."""

from pathlib import Path
from typing import Any

from msgspec import json

import loom
from loom_partitions import laws
from loom_partitions.records import Record


def stored(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every journal segment."""
    return {path.name: path.read_bytes() for path in sorted((folder / "journal").iterdir())}


def commits(folder: Path) -> list[dict[str, Any]]:
    """Return every commit of the journal."""
    return [json.decode(line) for data in stored(folder).values() for line in data.splitlines()]


def records(ctx: loom.Context) -> list[Record]:
    """Return every record of an agent's journal."""
    workspace = ctx._engine.workspace
    return [one for number in range(1, workspace.commits + 1) for one in workspace.records(number)]


def files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file under a folder, by its path there."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def lawful(ctx: loom.Context) -> list[str]:
    """Return what the laws of a window find broken: paired, counted, ordered."""
    window = ctx.window
    return [*laws.paired(window), *laws.counted(window), *laws.ordered(window)]
