"""`loom memory` shows line by line which AGENTS.md files count for an agent in a folder, and why.
`loom skills` lists the skills the agent finds from there, their folders and their faults."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from loom.capabilities.file_owners import real_path
from loom.capabilities.memory.guide import NAMES
from loom.capabilities.memory.guide_reasons import GuideReason, guide_reasons
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.capabilities.refused_files import with_trust_option
from loom.capabilities.skills.discover import discover_skills, skill_places
from loom.capabilities.skills.skill_files import Skill
from loom.cli.exits import FINE, FOUND
from loom.cli.output import PIPED, AsJson, clip, print_result, wrapped_lines
from loom.cli.text_tables import table_lines
from loom.errors import BadInput
from loom.text import clip_front, clip_text, escape_invisible, one_line

PATH_COLUMNS = 36  # of a path: what is longer loses its front
WORDS = {True: "counts", False: "not used"}
WHERE, DESCRIPTION, WARNING = 40, 200, 400  # characters of a cell, of a line


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
        folder: The working folder; files in the folders above it count too, up to the git
            repository.
        file: A file or folder an agent works on, which need not exist: show what counts for it as
            well.
        trust: Load files below this folder, whoever owns them ("*": everywhere); may be given more
            than once.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder")
    project = ProjectGuides(folder, trust=trust)
    at = _path_in_project(project, file) if file is not None else None
    if at is not None:
        project.touch(str(at))
    project.look()
    why = guide_reasons(project, at)
    found = project.merged
    whole = {
        "root": str(project.root),
        "folder": str(project.folder),
        "for": None if at is None else _path_below_root(project, at),
        "files": [guide.path for guide in found.guides],
        "guides": why,
        "warnings": project.warnings,
        "refused": project.refused,
        "bytes": len(found.text.encode()),
        "text": found.text,
        "lines": [{"file": at.path, "line": at.line} for at in found.origins],
    }
    return print_result(whole, _guide_lines(project, why, at), json=json)


def _path_in_project(project: ProjectGuides, file: Path) -> Path:
    """Return the real path of `file`. A relative `file` starts at the project's folder, or at the
    current folder if the file exists only there. Raises BadInput for a path outside the project."""
    tried = [real_path(project.folder / file), real_path(file)]
    mine = [at for at in tried if at == project.root or project.root in at.parents]
    if not mine:
        raise BadInput(f"{file} lies outside of {project.root}")
    return max(mine, key=lambda at: (at.exists(), at.parent.exists()))


def _path_below_root(project: ProjectGuides, at: Path) -> str:
    return at.relative_to(project.root).as_posix()


def _guide_lines(
    project: ProjectGuides, why: Sequence[GuideReason], file: Path | None
) -> Iterator[str]:
    """Yield the lines of the output: the AGENTS.md files and why each counts, the merged text, and
    warnings. `file` is the value of `--for`."""
    found = project.merged
    if file is not None and not file.exists():
        yield from wrapped_lines(
            f"{_path_below_root(project, file)} is not there; what would count for it:"
        )
    if not found.guides:
        between = f"in {project.folder}"
        if project.root != project.folder:
            between = f"between {project.root} and {project.folder}"
        some = why or project.refused
        yield from wrapped_lines(f"no {'guide counts' if some else ', '.join(NAMES)} {between}")
    width = min(max((len(one.path) for one in why), default=0), PATH_COLUMNS)
    for one in why:
        path = clip_front(one.path, PATH_COLUMNS)
        yield from wrapped_lines(one.why, f"{WORDS[one.counts]:<8}  {path:<{width}}  ")
    if why:
        yield ""
    places = [f"{at.path}:{at.line}" if at.line else at.path for at in found.origins]
    width = min(max(map(len, places), default=0), PATH_COLUMNS)
    for place, at in zip(places, found.origins, strict=True):
        head, text = (
            f"{clip_front(place, PATH_COLUMNS):<{width}}  ",
            escape_invisible(at.text.expandtabs(4)),
        )
        indent = clip_text(text[: len(text) - len(text.lstrip())], (PIPED - len(head)) // 2)
        yield from wrapped_lines(text.strip(), head + indent)
    said = {f"{one.path}: {one.why}" for one in why}
    for warning in (one for one in project.warnings if one not in said):
        yield from wrapped_lines(with_trust_option(warning), "not read: ")


def skills(
    folder: Path = Path(),
    /,
    *,
    strict: bool = False,
    given: tuple[Path, ...] = (),
    trust: tuple[str, ...] = (),
    json: AsJson = False,
) -> int:
    """List the skills found from a folder: in it, above it up to the git root, and at home.

    Args:
        folder: The project's folder; the current one when none is named.
        strict: Exit 1 when there is a warning: for a header that departs from the specification, or
            for a skill that was left out or not read.
        given: Look here first: a skill's folder, a SKILL.md or a folder of skills; may be given
            more than once.
        trust: Take skills below this folder although another user owns them; "*" is everywhere; may
            be given more than once.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder: name the one the agent works in")
    home = None
    with suppress(RuntimeError):  # a user without one
        home = Path.home()
    folder = folder.absolute()
    found = discover_skills(folder, given, home, trust)
    looked = [
        *(str(path.absolute()) for path in given),
        *map(str, skill_places(folder, home, trust)),
    ]
    facts: dict[str, object] = {"skills": found.skills, "warnings": found.warnings}
    facts |= {"looked": looked} | ({"ok": not found.warnings} if strict else {})
    rows = [
        (
            skill.name,
            clip_front(_skill_place(skill, folder, home), WHERE),
            one_line(skill.description, DESCRIPTION),
        )
        for skill in found.skills
    ]
    none = ["no skills; looked in", *(f"  {place}" for place in looked)]
    odd = (
        clip(f"warning: {one.file}: {with_trust_option(one.why)}", WARNING)
        for one in found.warnings
    )
    told = table_lines(("name", "where", "description"), rows) if rows else none
    code = FOUND if strict and found.warnings else FINE
    return print_result(facts, (*told, *odd), json=json, code=code)


def _skill_place(skill: Skill, folder: Path, home: Path | None) -> str:
    """Return the folder in which a skill was found, relative to `folder` or as `~/…`: `skills` for
    the skill `x` in `skills/x`."""
    own = Path(skill.folder)
    place = own.parent if own.name == skill.name else own
    if place.is_relative_to(folder):
        return str(place.relative_to(folder))
    if home and place.is_relative_to(home):
        return str(Path("~", place.relative_to(home)))
    return str(place)
