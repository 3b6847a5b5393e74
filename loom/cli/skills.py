"""`loom skills`: which skills an agent would find from a folder, where they lie, what is odd."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from loom.capabilities.refused import optioned
from loom.capabilities.skills.discover import discover, places
from loom.capabilities.skills.skill import Skill
from loom.cli.columns import table
from loom.cli.exits import FINE, FOUND
from loom.cli.show import AsJson, clip, end
from loom.text import cut_front, one_line

WHERE, DESCRIPTION, WARNING = 40, 200, 400  # characters of a cell, of a line


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
        strict: Exit 1 when there is a warning: of a header that departs from the specification, or
            a skill that was left out or not read.
        given: Look here first: a skill's folder, a SKILL.md or a folder of skills; may be given
            more than once.
        trust: Take what lies here though it belongs to another user; "*" is everywhere; may be
            given more than once.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder: name the one the agent works in")
    home = None
    with suppress(RuntimeError):  # a user without one
        home = Path.home()
    folder = folder.absolute()
    found = discover(folder, given, home, trust)
    looked = [*(str(path.absolute()) for path in given), *map(str, places(folder, home, trust))]
    facts: dict[str, object] = {"skills": found.skills, "warnings": found.warnings}
    facts |= {"looked": looked} | ({"ok": not found.warnings} if strict else {})
    rows = [
        (
            skill.name,
            cut_front(_where(skill, folder, home), WHERE),
            one_line(skill.description, DESCRIPTION),
        )
        for skill in found.skills
    ]
    none = ["no skills; looked in", *(f"  {place}" for place in looked)]
    odd = (clip(f"warning: {one.file}: {optioned(one.why)}", WARNING) for one in found.warnings)
    told = table(("name", "where", "description"), rows) if rows else none
    code = FOUND if strict and found.warnings else FINE
    return end(facts, (*told, *odd), json=json, code=code)


def _where(skill: Skill, folder: Path, home: Path | None) -> str:
    """The folder of skills it lies in, its own where that is not called as the skill is, as one
    would name it from the folder."""
    own = Path(skill.folder)
    place = own.parent if own.name == skill.name else own
    if place.is_relative_to(folder):
        return str(place.relative_to(folder))
    if home and place.is_relative_to(home):
        return str(Path("~", place.relative_to(home)))
    return str(place)
