"""Why each guide of a project counts, or does not: what `loom memory` shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from loom.capabilities.foreign import foreign, ignored
from loom.capabilities.memory.guide_order import LARGEST, chain
from loom.capabilities.memory.guide_text import plain
from loom.capabilities.memory.merging import GuidePart
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.owners import real_path
from loom.capabilities.plain_file import beginning


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
    return tuple(one for folder in folders for one in _of_folder(project, folder, folders))


def _of_folder(project: ProjectGuides, folder: Path, folders: list[Path]) -> Iterator[GuideReason]:
    """What counts in a folder, what it imports before it, then what does not count."""
    taken = {part.guide.name: part for part in project.merged.parts}
    scope = folder.relative_to(project.root).as_posix()
    named = {(folder / name).relative_to(project.root).as_posix() for name in project.names}
    own = next((name for name in (*taken, *project.merged.left_out) if name in named), "")
    for name, part in taken.items():
        if name == own:
            yield GuideReason(name, True, _place(project, folder, folders) + _cut(part))
        elif part.guide.by and part.guide.scope == scope:
            yield GuideReason(part.guide.path, True, f"imported by {part.guide.by}{_cut(part)}")
    for name in project.merged.left_out:
        importer = name.partition(" (imported by ")[2].rstrip(")")
        if name in named or importer in named:
            yield GuideReason(name, False, f"no room in {project.budget:,} bytes")
    for name in project.names:
        path = folder / name
        inside = path.relative_to(project.root).as_posix()
        if inside != own and path.is_file():
            yield GuideReason(inside, False, _unused(project, path, own))


def _place(project: ProjectGuides, folder: Path, folders: list[Path]) -> str:
    held = {(project.root / part.guide.scope) for part in project.merged.parts}
    closest = [one for one in folders if one in held][-1:] == [folder]
    where = "the root of the project" if folder == project.root else "on the way"
    if closest and folder == project.root:
        return where if len(held) == 1 else f"{where}, the closest"
    return "the closest" if closest else where


def _cut(part: GuidePart) -> str:
    left = len(part.guide.lines) - len(part.lines)
    return f"; {left:,} of {len(part.guide.lines):,} lines over the byte budget" if left else ""


def _unused(project: ProjectGuides, path: Path, own: str) -> str:
    """Why a file that is there does not count."""
    at = path.parent
    root = project.root
    if at not in chain(root, project.folder):
        if foreign(root, at, project.folder):
            return "foreign: in a folder installed, copied in, made or ignored"
        if ignored(root, path):
            return "ignored by git"
    real = real_path(path)
    if root not in real.parents:
        return "a link that leads out of the project"
    with suppress(OSError):
        if why := project.whose.refusal(path):
            return why
    before = project.names.index(path.name)
    if own and project.names.index(Path(own).name) < before:
        return f"not used: {Path(own).name} beside it counts"
    same = [part.guide.path for part in project.merged.parts if part.guide.real == str(real)]
    if same:
        return f"the same file as {same[0]}"
    try:
        return "not read" if plain(beginning(path, LARGEST)[0]) else "says nothing"
    except OSError as error:
        return f"not read: {error.strerror or error}"
