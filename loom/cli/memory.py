"""`loom memory`: which AGENTS.md files count for an agent in a folder and why, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from loom.capabilities.memory.guide import NAMES
from loom.capabilities.memory.guide_reasons import GuideReason, reasons
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.owners import real_path
from loom.capabilities.refused import optioned
from loom.cli.show import PIPED, AsJson, end, wrapped
from loom.errors import BadInput
from loom.text import cut, cut_front, visible

PATH_COLUMNS = 36  # of a path: what is longer loses its front
WORDS = {True: "counts", False: "not used"}


def memory(
    folder: Path = Path(),
    /,
    *,
    file: Annotated[Path | None, Parameter(name="--for")] = None,
    trust: tuple[str, ...] = (),
    json: AsJson = False,
) -> int:
    """Show the AGENTS.md files that count in a folder and why, merged, line by line.

    Args:
        folder: The working folder; what stands above it counts as far up as the git repository
            goes.
        file: A file or folder an agent works on, there or not: what counts for it as well.
        trust: Load what lies here, whoever owns it ("*": everywhere); may be given more than once.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder")
    project = ProjectGuides(folder, trust=trust)
    at = _path_in_project(project, file) if file is not None else None
    if at is not None:
        project.touch(str(at))
    project.look()
    why = reasons(project, at)
    found = project.merged
    whole = {
        "root": str(project.root),
        "folder": str(project.folder),
        "for": None if at is None else _inside(project, at),
        "files": [guide.path for guide in found.guides],
        "guides": why,
        "warnings": project.warnings,
        "refused": project.refused,
        "bytes": len(found.text.encode()),
        "text": found.text,
        "lines": [{"file": at.path, "line": at.line} for at in found.origins],
    }
    return end(whole, _told(project, why, at), json=json)


def _path_in_project(project: ProjectGuides, file: Path) -> Path:
    """The path `--for` means: below the folder, or, where only that is there, from where one is.

    Raises BadInput for one that lies elsewhere than in the project.
    """
    tried = [real_path(project.folder / file), real_path(file)]
    mine = [at for at in tried if at == project.root or project.root in at.parents]
    if not mine:
        raise BadInput(f"{file} lies outside of {project.root}")
    return max(mine, key=lambda at: (at.exists(), at.parent.exists()))


def _inside(project: ProjectGuides, at: Path) -> str:
    return at.relative_to(project.root).as_posix()


def _told(project: ProjectGuides, why: Sequence[GuideReason], file: Path | None) -> Iterator[str]:
    """A line for each guide that is there; then those that count line by line, each behind its file
    and number; then what was not read."""
    found = project.merged
    if file is not None and not file.exists():
        yield from wrapped(f"{_inside(project, file)} is not there; what would count for it:")
    if not found.guides:
        between = f"in {project.folder}"
        if project.root != project.folder:
            between = f"between {project.root} and {project.folder}"
        some = why or project.refused
        yield from wrapped(f"no {'guide counts' if some else ', '.join(NAMES)} {between}")
    width = min(max((len(one.path) for one in why), default=0), PATH_COLUMNS)
    for one in why:
        path = cut_front(one.path, PATH_COLUMNS)
        yield from wrapped(one.why, f"{WORDS[one.counts]:<8}  {path:<{width}}  ")
    if why:
        yield ""
    places = [f"{at.path}:{at.line}" if at.line else at.path for at in found.origins]
    width = min(max(map(len, places), default=0), PATH_COLUMNS)
    for place, at in zip(places, found.origins, strict=True):
        head, text = f"{cut_front(place, PATH_COLUMNS):<{width}}  ", visible(at.text.expandtabs(4))
        indent = cut(text[: len(text) - len(text.lstrip())], (PIPED - len(head)) // 2)
        yield from wrapped(text.strip(), head + indent)
    said = {f"{one.path}: {one.why}" for one in why}
    for warning in (one for one in project.warnings if one not in said):
        yield from wrapped(optioned(warning), "not read: ")
