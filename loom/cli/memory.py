"""`loom memory`: which AGENTS.md files count for an agent in a folder and why, line by line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from loom.capabilities.memory.guide import NAMES, Merged
from loom.capabilities.memory.guide_reasons import GuideReason, reasons
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.owners import real_path
from loom.capabilities.refused import optioned
from loom.cli.exits import FINE, BadUsage
from loom.cli.show import AsJson, emit, lines
from loom.text import cut, cut_front, visible

COLUMNS = 80
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

    Parameters
    ----------
    folder
        The working folder; what stands above it counts as far up as the git repository goes.
    file
        A file or folder an agent works on, there or not: what counts for it as well.
    trust
        Load what lies here, whoever owns it ("*": everywhere); may be given more than once.
    """
    if not folder.is_dir():
        raise BadUsage(f"{folder} is no folder")
    project = ProjectGuides(folder, trust=trust)
    at = _named(project, file) if file is not None else None
    if at is not None:
        project.touch(str(at))
    project.look()
    found, why = project.merged, reasons(project, at)
    if json:
        emit(_document(project, why, at))
        return FINE
    if at is not None and not at.exists():
        lines(_wrapped("", f"{_inside(project, at)} is not there; what would count for it:"))
    if not found.guides:
        lines(_wrapped("", _without_any(project, why)))
    lines(_reasons(why))
    lines(_merged(found))
    said = {f"{one.path}: {one.why}" for one in why}
    for told in (one for one in project.warnings if one not in said):
        lines(_wrapped("not read: ", optioned(told)))
    return FINE


def _named(project: ProjectGuides, file: Path) -> Path:
    """The path `--for` means: below the folder, or, where only that is there, from where one is.

    Raises BadUsage for one that lies elsewhere than in the project.
    """
    tried = [real_path(project.folder / file), real_path(file)]
    mine = [at for at in tried if at == project.root or project.root in at.parents]
    if not mine:
        raise BadUsage(f"{file} lies outside of {project.root}")
    return max(mine, key=lambda at: (at.exists(), at.parent.exists()))


def _inside(project: ProjectGuides, at: Path) -> str:
    return at.relative_to(project.root).as_posix()


def _without_any(project: ProjectGuides, why: Sequence[GuideReason]) -> str:
    """The line that says that no guide counts: because none is there, or none may."""
    between = f"in {project.folder}"
    if project.root != project.folder:
        between = f"between {project.root} and {project.folder}"
    if why or project.refused:
        return f"no guide counts {between}"
    return f"no {', '.join(NAMES)} {between}"


def _document(
    project: ProjectGuides, why: Sequence[GuideReason], at: Path | None
) -> dict[str, Any]:
    found = project.merged
    return {
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


def _reasons(why: Sequence[GuideReason]) -> Iterator[str]:
    """A line for each guide that is there, and a blank one behind them."""
    width = min(max((len(one.path) for one in why), default=0), PATH_COLUMNS)
    for one in why:
        path = cut_front(one.path, PATH_COLUMNS)
        yield from _wrapped(f"{WORDS[one.counts]:<8}  {path:<{width}}  ", one.why)
    if why:
        yield ""


def _merged(found: Merged) -> Iterator[str]:
    """The lines of the guides, each behind its file and number."""
    places = [f"{at.path}:{at.line}" if at.line else at.path for at in found.origins]
    width = min(max(map(len, places), default=0), PATH_COLUMNS)
    for place, at in zip(places, found.origins, strict=True):
        yield from _wrapped(f"{cut_front(place, PATH_COLUMNS):<{width}}  ", at.text)


def _wrapped(head: str, text: str) -> list[str]:
    """A text behind a heading, in at most COLUMNS columns: what is longer goes on below, indented
    as it begins."""
    text = visible(text.expandtabs(4))
    width = max(COLUMNS, len(head) + 20)
    begins = cut(text[: len(text) - len(text.lstrip())], (width - len(head)) // 2)
    rows = textwrap.wrap(
        text.strip(),
        width,
        initial_indent=head + begins,
        subsequent_indent=" " * len(head) + begins,
        break_on_hyphens=False,
    )
    return [row.rstrip() for row in rows] or [head.rstrip()]
