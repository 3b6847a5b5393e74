"""Why each guide of a project counts, or does not: what `loom memory` shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from loom.capabilities.memory.guide import chain
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.owners import real_path

FOREIGN = "foreign: in a folder installed, copied in, made or ignored"


class GuideReason(Struct, frozen=True):
    """A guide that is there: its path, whether it counts, and why."""

    path: str
    counts: bool
    why: str


def reasons(project: ProjectGuides, file: Path | None = None) -> tuple[GuideReason, ...]:
    """The guides on the way to the working folder, and on to a file below it, after a look."""
    folders = list(chain(project.root, project.folder))
    if file is not None:
        at = real_path(project.folder / file)
        below = chain(project.root, at if at.is_dir() else at.parent)
        folders += [one for one in below if one not in folders]
    inside = [one.relative_to(project.root).as_posix() for one in folders]
    return tuple(one for folder in inside for one in _of_folder(project, folder, inside))


def _of_folder(project: ProjectGuides, folder: str, folders: list[str]) -> Iterator[GuideReason]:
    """The guides that count in a folder, each behind its imports, then those that do not."""
    merged = project.merged
    own = [f"{folder}/{name}" if folder != "." else name for name in project.names]
    held = {guide.scope for guide in merged.guides}
    closest = next((one for one in reversed(folders) if one in held), "")
    for guide in merged.guides:
        if guide.scope == folder:
            place = (
                f"imported by {guide.by}" if guide.by else _place(folder, closest, len(held) > 1)
            )
            yield GuideReason(guide.path, True, place)
    counted = {guide.path for guide in merged.guides}
    for path in (one for one in own if one not in counted):
        if path in project.unused or (project.root / path).is_file():
            yield GuideReason(path, False, project.unused.get(path, FOREIGN))


def _place(folder: str, closest: str, several: bool) -> str:
    root = "the root of the project"
    if folder == closest and folder == ".":
        return f"{root}, the closest" if several else root
    if folder == closest:
        return "the closest"
    return root if folder == "." else "on the way"
