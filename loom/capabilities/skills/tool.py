"""`use_skill`: the text of a skill, brought into C_skill; its files, brought as results.

A skill that stands in the window is not brought twice. When the partition has no room, the bodies
unused longest leave; one too large even so is shown as an excerpt, and rests whole on a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from loom.capabilities.memory.excerpt import excerpt
from loom.capabilities.skills.skill import Skill, body, resource, resources
from loom.capability import Answer, OwnTool, own_tool
from loom.engine.archive.reading import standing
from loom.engine.tools.answer import TEXT, reduction
from loom.engine.working import WorkingEdits
from loom.errors import LoomError
from loom.providers.render.standin import StandIn
from loom.providers.render.wording import weight
from loom.reduce import preview
from loom.text import one_line, visible
from loom_partitions.records import Record, SkillActivated, SkillDropped, SkillUsed
from loom_partitions.skill import CATALOGUE
from loom_partitions.window import Window

PARTITION = "skill"
ALL = "?"
NONE = "this agent has no skills"
REFUSED_CHARS = 300  # of a skill that was not loaded, with the reason
FILES = 20  # names of a skill's files that are told with it
PART = "[{name}, in part: the headings, and how it begins; whole in {page}]"


class OfferedSkills(Struct, frozen=True):
    """The skills an agent has, the share of the capacity their texts may take together, and the
    tokens a window has left beside what may not leave it."""

    found: tuple[Skill, ...]
    share: float
    free: Callable[[Window], int]


def activated(
    edits: WorkingEdits, skills: OfferedSkills, name: str
) -> tuple[tuple[Record, ...], str]:
    """The records that bring a skill's text into the window, and what is said of it.

    Raises LoomError for a name that is no skill's, and when there is no room for one.
    """
    skill = _named(skills, name)
    key = key_of(skill)
    held = edits.window.skill.bodies.get(key)
    if held is not None and not isinstance(standing(edits.workspace, held), StandIn):
        return (SkillUsed(key),), f"The skill {skill.name} stands in the context already"
    text = body(skill)
    after, gone = _emptied(edits, skills, weight(PARTITION, key, text))
    shown = _shown(after, skills, skill, text)
    tokens, notice = edits.ingest.weighed(PARTITION, key, shown)
    made = edits.ingest.held(PARTITION, shown, tokens)
    return (
        (*gone, SkillActivated(key, made, notice)),
        f"The skill {skill.name} stands in the context now{_files(skill)}",
    )


def _emptied(
    edits: WorkingEdits, skills: OfferedSkills, text: str
) -> tuple[WorkingEdits, tuple[Record, ...]]:
    """The edits once there is room for a text, and the skills that left for it.

    One that would take more than half of the share sends no more away than for that half.
    """
    half = int(edits.window.limits.capacity * skills.share / 2)
    return emptied(edits, skills, min(edits.ingest.sizes.count(text), half))


def emptied(
    edits: WorkingEdits, skills: OfferedSkills, needed: int
) -> tuple[WorkingEdits, tuple[Record, ...]]:
    """The edits with so many tokens free for skills, where dropping bodies can do it."""
    known = {key_of(skill) for skill in skills.found}
    known |= {held.key for held in edits.window.skill.bodies.shown if held.behind}  # a client's
    gone: list[Record] = []
    while _room(edits, skills) < needed:
        window = edits.window
        keys = [key for key in window.skill.idle if key in known]
        if not keys:
            break
        record = SkillDropped(keys[0], edits.ingest.gone(PARTITION, keys[0]))
        gone.append(record)
        edits = edits.after((record,))
    return edits, tuple(gone)


def key_of(skill: Skill) -> str:
    """The key a skill's text stands under: its name, but for the one that is the list's."""
    return skill.name if skill.name != CATALOGUE else f"{CATALOGUE} (skill)"


def _room(edits: WorkingEdits, skills: OfferedSkills) -> int:
    """Tokens another skill may take."""
    window = edits.window
    taken = sum(held.text.tokens for held in window.skill.bodies.current if held.key != CATALOGUE)
    share = int(window.limits.capacity * skills.share)
    return min(share - taken, skills.free(window))


def _shown(edits: WorkingEdits, skills: OfferedSkills, skill: Skill, text: str) -> str:
    """The text of a skill, or as much of it as there is room for."""
    count, room = edits.ingest.sizes.count, _room(edits, skills)

    def fits(some: str) -> bool:
        return count(weight(PARTITION, skill.name, some)) <= room

    if fits(text):
        return text
    page = edits.workspace.rest(PARTITION, ".md", edits.ingest.redact(text).encode())
    more = PART.format(name=skill.name, page=page)
    shown = excerpt(text, fits, more)
    if not shown:
        raise LoomError(f"there is no room for the skill {skill.name}: it rests in {page}")
    return shown


def _files(skill: Skill) -> str:
    names = resources(skill)
    if not names:
        return ""
    more = f" and {len(names) - FILES} more" if len(names) > FILES else ""
    return f"; its files, by use_skill(name, file): {', '.join(map(visible, names[:FILES]))}{more}"


def _named(skills: OfferedSkills, name: str) -> Skill:
    found = {skill.name: skill for skill in skills.found}
    if name in found:
        return found[name]
    near = get_close_matches(name, list(found), 3, 0.4)
    hint = f"; near it: {', '.join(near)}" if near else f"; use_skill('{ALL}') lists them"
    raise LoomError(f"there is no skill {name[:80]!r}{hint}")


def without_any(refused: Sequence[str]) -> str:
    """The words for an agent without skills: with the first that was refused, and why."""
    if not refused:
        return NONE
    more = f" (and {len(refused) - 1:,} more)" if len(refused) > 1 else ""
    return f"{NONE}: not loaded: {one_line(visible(refused[0]), REFUSED_CHARS)}{more}"


def listed(skills: Sequence[Skill]) -> str:
    """Every skill with its description, for a catalogue that had no room for all."""
    return "\n".join(
        f"{skill.name}: {visible(' '.join(skill.description.split()))}" for skill in skills
    )


def skill_tool(skills: OfferedSkills | None) -> OwnTool:
    """The tool for those skills; without any it is not offered, and answers that there are none."""

    def answer(edits: WorkingEdits, arguments: dict[str, Any], limit: int) -> Answer:
        if skills is None:
            raise LoomError(NONE)
        name, file = str(arguments["name"]).strip(), str(arguments.get("file", "")).strip()
        args = {"name": name[:100], **({"file": file[:100]} if file else {})}
        records: tuple[Record, ...] = ()
        if name == ALL:
            text = listed(skills.found)
        elif file:
            text = resource(_named(skills, name), file)
        else:
            records, text = activated(edits, skills, name)
        said = f"Skill {name[:60]}" + (f": {file[:60]}" if file else "")
        page = ""
        if len(text) > limit:
            text = edits.ingest.redact(text)
            page = edits.workspace.rest(PARTITION, ".txt", text.encode("utf-8", "replace"))
            text = preview(text, limit, page)
        return Answer(text, reduction("use_skill", args, said, page), records=records)

    return own_tool(
        "use_skill",
        "Bring a skill's instructions into the context, or one of its files.",
        {"name": TEXT, "file": TEXT},
        answer,
        optional=("file",),
        offered=skills is not None,
    )
