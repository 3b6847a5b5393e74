"""Why each guide of a project counts, or does not, as `loom memory` shows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from loom.capabilities.file_owners import real_path
from loom.capabilities.memory.guide import NAMES, folder_chain
from loom.capabilities.memory.project_guides import ProjectGuides

FOREIGN = "foreign: in a folder installed, copied in, made or ignored"


class GuideReason(Struct, frozen=True):
    """A guide file: its path, whether its instructions are in force, and why or why not."""

    path: str
    counts: bool
    why: str


def guide_reasons(project: ProjectGuides, file: Path | None = None) -> tuple[GuideReason, ...]:
    """Return a GuideReason for each guide file in the folders from the root to the working folder,
    and to the folder of `file` if given. Call `project.look` first."""
    folders = list(folder_chain(project.root, project.folder))
    if file is not None:
        at = real_path(project.folder / file)
        below = folder_chain(project.root, at if at.is_dir() else at.parent)
        folders += [one for one in below if one not in folders]
    inside = [one.relative_to(project.root).as_posix() for one in folders]
    return tuple(one for folder in inside for one in _folder_reasons(project, folder, inside))


def _folder_reasons(
    project: ProjectGuides, folder: str, folders: list[str]
) -> Iterator[GuideReason]:
    """Yield the reasons for one folder: guides in force, each after its imports, then guide files
    not used. `folders` are all folders examined, the outermost first."""
    guides = project.merged.guides
    held = {guide.scope for guide in guides}
    closest = next((one for one in reversed(folders) if one in held), "")
    places = ["the root of the project"] * (folder == ".")
    places += ["the closest"] * (folder == closest and (folder != "." or len(held) > 1))
    for guide in (one for one in guides if one.scope == folder):
        why = f"imported by {guide.by}" if guide.by else ", ".join(places) or "on the way"
        yield GuideReason(guide.path, True, why)
    counted = {guide.path for guide in guides}
    for path in (f"{folder}/{name}" if folder != "." else name for name in NAMES):
        if path not in counted and (path in project.unused or (project.root / path).is_file()):
            yield GuideReason(path, False, project.unused.get(path, FOREIGN))
