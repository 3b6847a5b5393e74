"""A project whose guides others may have written, and what a request shows of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import loom
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.live import Context

RULES = [f"- Rule {n}: never leave step {n} of the release to another day." for n in range(40)]


def wrote(path: Path, text: str) -> Path:
    """Write a file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def repository(place: Path, files: Mapping[str, str]) -> Path:
    """Make a repository in a folder, with files by their paths."""
    root = place.resolve() / "repo"
    (root / ".git").mkdir(parents=True)
    for name, text in files.items():
        wrote(root / name, text)
    return root


def guides_in(folder: Path, **options: Any) -> tuple[dict[str, str], tuple[str, ...]]:
    """The guides of a folder by name, and the warnings."""
    project = ProjectGuides(folder, **options)
    project.look()
    return {guide.name: guide.text for guide in project.merged.guides}, project.warnings


def named(ctx: Context, path: str) -> loom.Turn:
    """The turn after a call that names a path."""
    id = f"c{ctx.window.history.next_id}"
    ctx.reply(loom.Reply((loom.ToolCall(id, "Read", json.dumps({"path": path})),)))
    ctx.result(id, "ok")
    return ctx.turn()


def rules(turn: loom.Turn) -> list[str]:
    """The rules a request shows."""
    said = json.dumps(turn.request())
    return [rule for rule in RULES if rule in said]
