"""`loom skills`: which skills an agent would find from a folder, where they lie, what is odd."""

from __future__ import annotations

from pathlib import Path

from msgspec import to_builtins

from loom.capabilities.refused import optioned
from loom.capabilities.skills import Skill, SkillSet, SkillWarning, discover, places, problems
from loom.cli.columns import Sheet, sheet
from loom.cli.exits import FINE, FOUND
from loom.cli.show import AsJson, clip, emit, line, lines
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
        Judge every skill by the letter of the specification; exit 1 when one has a problem, or was
        not read.
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
    judged = {skill.file: problems(Path(skill.folder)) for skill in found.skills} if strict else {}
    looked = [*(str(path.absolute()) for path in given), *map(str, places(folder, home, trust))]
    if json:
        emit(_facts(found, judged, looked, strict))
    else:
        _show(found, judged, looked, folder, home)
        if strict:
            line(_sum(found, judged))
    return FINE if not strict or _whole(found, judged) else FOUND


def _whole(found: SkillSet, judged: dict[str, tuple[str, ...]]) -> bool:
    """True when every skill was read, and no problem found."""
    return not any(judged.values()) and not any(one.refused for one in found.warnings)


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # a user without one
        return None


def _facts(
    found: SkillSet, judged: dict[str, tuple[str, ...]], looked: list[str], strict: bool
) -> dict[str, object]:
    """Return the object `--json` prints; problems only where they were asked for."""
    held = [
        {**to_builtins(skill), **({"problems": judged[skill.file]} if strict else {})}
        for skill in found.skills
    ]
    facts: dict[str, object] = {"skills": held, "warnings": found.warnings, "looked": looked}
    return {**facts, "ok": _whole(found, judged)} if strict else facts


def _show(
    found: SkillSet,
    judged: dict[str, tuple[str, ...]],
    looked: list[str],
    folder: Path,
    home: Path | None,
) -> None:
    if found.skills:
        sheet(Sheet(("name", "where", "description"), tuple(_rows(found.skills, folder, home))))
    else:
        lines(["no skills; looked in", *(f"  {place}" for place in looked)])
    lines(_told(warning) for warning in found.warnings)
    names = {skill.file: skill.name for skill in found.skills}
    lines(f"problem: {names[file]}: {why}" for file, held in judged.items() for why in held)


def _sum(found: SkillSet, judged: dict[str, tuple[str, ...]]) -> str:
    """The last line of a judgement: how many skills, how many of them with problems or unread."""
    bad, unread = sum(map(bool, judged.values())), sum(one.refused for one in found.warnings)
    parts = [f"{bad} with problems"] * bool(bad) + [f"{unread} not read"] * bool(unread)
    return f"{len(judged)} skill{'s' * (len(judged) != 1)}, {', '.join(parts) or 'whole'}"


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
