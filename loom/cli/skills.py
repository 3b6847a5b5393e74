"""`loom skills`: which skills an agent would find from a folder, where they lie, what is odd."""

from __future__ import annotations

from pathlib import Path

from loom.capabilities.refused import optioned
from loom.capabilities.skills import Skill, SkillSet, SkillWarning, discover, places
from loom.cli.columns import Sheet, sheet
from loom.cli.exits import FINE, FOUND
from loom.cli.show import AsJson, clip, emit, lines
from loom.text import cut_front, one_line

WHERE, DESCRIPTION = 40, 200  # characters of a cell


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

    Parameters
    ----------
    folder
        The project's folder; the current one when none is named.
    strict
        Exit 1 when there is a warning: of a header that departs from the specification, or a skill
        that was left out or not read.
    given
        Look here first: a skill's folder, a SKILL.md or a folder of skills; may be given more
        than once.
    trust
        Take what lies here though it belongs to another user; "*" is everywhere; may be given more
        than once.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder: name the one the agent works in")
    folder, home = folder.absolute(), _home()
    found = discover(folder, given, home, trust)
    looked = [*(str(path.absolute()) for path in given), *map(str, places(folder, home, trust))]
    if json:
        facts = {"skills": found.skills, "warnings": found.warnings, "looked": looked}
        emit({**facts, "ok": not found.warnings} if strict else facts)
    else:
        _show(found, looked, folder, home)
    return FOUND if strict and found.warnings else FINE


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # a user without one
        return None


def _show(found: SkillSet, looked: list[str], folder: Path, home: Path | None) -> None:
    if found.skills:
        sheet(Sheet(("name", "where", "description"), tuple(_rows(found.skills, folder, home))))
    else:
        lines(["no skills; looked in", *(f"  {place}" for place in looked)])
    lines(_told(warning) for warning in found.warnings)


def _rows(skills: tuple[Skill, ...], folder: Path, home: Path | None) -> list[tuple[str, str, str]]:
    return [
        (
            skill.name,
            cut_front(_where(_place(skill), folder, home), WHERE),
            one_line(skill.description, DESCRIPTION),
        )
        for skill in skills
    ]


def _place(skill: Skill) -> Path:
    """The folder of skills it lies in, its own where that is not called as the skill is."""
    own = Path(skill.folder)
    return own.parent if own.name == skill.name else own


def _where(place: Path, folder: Path, home: Path | None) -> str:
    """A place as one would name it from the folder."""
    if place.is_relative_to(folder):
        return str(place.relative_to(folder))
    if home and place.is_relative_to(home):
        return str(Path("~", place.relative_to(home)))
    return str(place)


def _told(warning: SkillWarning) -> str:
    return clip(f"warning: {warning.file}: {optioned(warning.why)}", 400)
