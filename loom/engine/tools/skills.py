"""`use_skill`: the text of a skill, brought into C_skill; its files, brought as results.

A skill that stands in the window is not brought twice. When the partition has no room, the bodies
unused longest leave; one too large even so is shown as an excerpt, and rests whole on a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from loom.capabilities.memory.excerpt import excerpt
from loom.capabilities.skills import Skill, body, resource, resources
from loom.engine.archive.reading import standing
from loom.engine.tools.answer import TEXT, Answer, reduction, tool
from loom.engine.working import Desk, Skills
from loom.errors import LoomError
from loom.providers.render.standin import StandIn
from loom.providers.render.wording import weight
from loom.reduce import preview
from loom_partitions.records import Record, SkillActivated, SkillDropped, SkillUsed
from loom_partitions.skill import CATALOGUE

PARTITION = "skill"
ALL = "?"
FILES = 20  # names of a skill's files that are told with it
PART = "[{name}, in part: the headings, and what is near the goal; whole in {page}]"


def activated(desk: Desk, name: str) -> tuple[tuple[Record, ...], str]:
    """The records that bring a skill's text into the window, and what is said of it.

    Raises LoomError for a name that is no skill's, and when there is no room for one.
    """
    skill = _named(desk, name)
    key = key_of(skill)
    held = desk.window.skill.bodies.get(key)
    if held is not None and not isinstance(standing(desk.workspace, held), StandIn):
        return (SkillUsed(key),), f"The skill {skill.name} stands in the context already"
    text = body(skill)
    after, gone = _emptied(desk, weight(PARTITION, key, text))
    shown = _shown(after, skill, text)
    tokens, notice = desk.ingest.weighed(PARTITION, key, shown)
    made = desk.ingest.held(PARTITION, shown, tokens)
    return (
        (*gone, SkillActivated(key, made, notice)),
        f"The skill {skill.name} stands in the context now{_files(skill)}",
    )


def _emptied(desk: Desk, text: str) -> tuple[Desk, tuple[Record, ...]]:
    """The desk once there is room for a text, and the skills that left for it.

    One that would take more than half of the share sends no more away than for that half.
    """
    half = int(desk.window.limits.capacity * _skills(desk).share / 2)
    return emptied(desk, min(desk.ingest.sizes.count(text), half))


def emptied(desk: Desk, needed: int) -> tuple[Desk, tuple[Record, ...]]:
    """The desk with so many tokens free for skills, where dropping bodies can do it."""
    known = {key_of(skill) for skill in _skills(desk).found}
    gone: list[Record] = []
    while _room(desk) < needed:
        window = desk.window
        keys = [key for key in window.skill.idle if key in known]
        if not keys:
            break
        record = SkillDropped(keys[0], desk.ingest.gone(PARTITION, keys[0]))
        gone.append(record)
        desk = desk.after((record,))
    return desk, tuple(gone)


def key_of(skill: Skill) -> str:
    """The key a skill's text stands under: its name, but for the one that is the list's."""
    return skill.name if skill.name != CATALOGUE else f"{CATALOGUE} (skill)"


def _room(desk: Desk) -> int:
    """Tokens another skill may take."""
    window = desk.window
    taken = sum(held.text.tokens for held in window.skill.bodies.current if held.key != CATALOGUE)
    share = int(window.limits.capacity * _skills(desk).share)
    return min(share - taken, _skills(desk).free(window))


def _shown(desk: Desk, skill: Skill, text: str) -> str:
    """The text of a skill, or as much of it as there is room for."""
    count, room = (
        desk.ingest.sizes.count,
        _room(desk) - desk.ingest.sizes.count(weight(PARTITION, skill.name, "")),
    )
    if count(text) <= room:
        return text
    page = desk.workspace.rest(PARTITION, ".md", desk.ingest.redact(text).encode())
    goal = desk.window.working.goal
    sought = standing(desk.workspace, goal) if goal else ""
    shown = excerpt(text, sought, room, count, PART.format(name=skill.name, page=page))
    if not shown:
        raise LoomError(f"there is no room for the skill {skill.name}: it rests in {page}")
    return shown


def _files(skill: Skill) -> str:
    names = resources(skill)
    if not names:
        return ""
    more = f" and {len(names) - FILES} more" if len(names) > FILES else ""
    return f"; its files, by use_skill(name, file): {', '.join(names[:FILES])}{more}"


def _named(desk: Desk, name: str) -> Skill:
    found = {skill.name: skill for skill in _skills(desk).found}
    if name in found:
        return found[name]
    near = get_close_matches(name, list(found), 3, 0.4)
    hint = f"; near it: {', '.join(near)}" if near else f"; use_skill('{ALL}') lists them"
    raise LoomError(f"there is no skill {name[:80]!r}{hint}")


def _skills(desk: Desk) -> Skills:
    skills = desk.at_hand.skills
    if skills is None:
        raise LoomError("this agent has no skills")
    return skills


def listed(skills: Sequence[Skill]) -> str:
    """Every skill with its description, for a catalogue that had no room for all."""
    return "\n".join(f"{skill.name}: {skill.description}" for skill in skills)


def _use_skill(desk: Desk, arguments: dict[str, Any], limit: int) -> Answer:
    name, file = str(arguments["name"]).strip(), str(arguments.get("file", "")).strip()
    args = {"name": name[:100], **({"file": file[:100]} if file else {})}
    records: tuple[Record, ...] = ()
    if name == ALL:
        text = listed(_skills(desk).found)
    elif file:
        text = resource(_named(desk, name), file)
    else:
        records, text = activated(desk, name)
    said = f"Skill {name[:60]}" + (f": {file[:60]}" if file else "")
    page = ""
    if len(text) > limit:
        text = desk.ingest.redact(text)
        page = desk.workspace.rest(PARTITION, ".txt", text.encode("utf-8", "replace"))
        text = preview(text, limit, page)
    return Answer(text, reduction("use_skill", args, said, page), records=records)


SKILLS = (
    tool(
        "use_skill",
        "Bring a skill's instructions into the context, or one of its files.",
        {"name": TEXT, "file": TEXT},
        _use_skill,
        optional=("file",),
        needs="skills",
    ),
)
