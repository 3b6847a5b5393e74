"""The list of skills, which always stands in the window, and `use_skill`: the text of a skill,
brought into C_skill; its files, brought as results.

A skill that stands in the window is not brought twice. When the partition has no room, the bodies
unused longest leave; one too large even so is shown as an excerpt, and rests whole on a page.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from operator import add
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from loom.capability import Answer, OwnTool, own_tool
from loom.errors import LoomError, OverCapacity
from loom.providers.render.standin import StandIn
from loom.providers.render.wording import weight
from loom.reduce.lines import counted
from loom.reduce.preview import preview
from loom.session import Engine
from loom.session.archive.reading import standing
from loom.session.head import drop, put
from loom.session.tools.answer import TEXT, reduction
from loom.session.working import WorkingEdits
from loom.text import cut, one_line, visible
from loom_partitions.records import Record, Shelved, SkillUsed
from loom_partitions.skill import CATALOGUE
from loom_partitions.window import Window

if TYPE_CHECKING:
    from loom.capabilities.skills.skill import Skill

PARTITION: Final = "skill"
ALL = "?"
NONE = "this agent has no skills"
LEAST = 60  # tokens a list of skills needs to say anything
FILES = 20  # names of a skill's files that are told with it
PART = "[{name}, in part: the headings, and how it begins; whole in {page}]"

HEADING = (
    "# Skills\n"
    "Instructions for particular kinds of work. Before work that one of them describes, call"
    " use_skill(name) for its text."
)
SHORTEST = 24  # characters of a description that still say something; below, names alone


class OfferedSkills(Struct, frozen=True):
    """The skills an agent has, the share of the capacity their texts may take together, and the
    tokens a window has left beside what may not leave it."""

    found: tuple[Skill, ...]
    share: float
    free: Callable[[Window], int]

    def named(self, name: str) -> Skill:
        """The skill of a name; raises LoomError, with those of near ones."""
        found = {skill.name: skill for skill in self.found}
        if name in found:
            return found[name]
        near = get_close_matches(name, list(found), 3, 0.4)
        hint = f"; near it: {', '.join(near)}" if near else f"; use_skill('{ALL}') lists them"
        raise LoomError(f"there is no skill {name[:80]!r}{hint}")

    def activated(self, edits: WorkingEdits, name: str) -> tuple[tuple[Record, ...], str]:
        """The records that bring a skill's text into the window, and what is said of it.

        Raises LoomError for a name that is no skill's, and when there is no room for one.
        """
        from loom.capabilities.memory.fitting import excerpt
        from loom.capabilities.skills.skill import body

        skill = self.named(name)
        key, ingest = key_of(skill), edits.ingest
        held = edits.window.skill.bodies.get(key)
        if held is not None and not isinstance(standing(edits.workspace, held), StandIn):
            return (SkillUsed(key),), f"The skill {skill.name} stands in the context already"
        text = body(skill)
        # One that takes more than half of the share sends no more away than for that half.
        half = int(edits.window.limits.capacity * self.share / 2)
        needed = min(ingest.sizes.count(weight(PARTITION, key, text)), half)
        edits, gone = self.emptied(edits, needed)
        room = self._room(edits.window)

        def fits(some: str) -> bool:
            return ingest.sizes.count(weight(PARTITION, key, some)) <= room

        if not fits(text):
            page = edits.workspace.put_page(PARTITION, ".md", ingest.redact(text).encode())
            text = excerpt(text, fits, PART.format(name=skill.name, page=page))
            if not text:
                raise LoomError(f"there is no room for the skill {skill.name}: it rests in {page}")
        tokens, notice = ingest.weighed(PARTITION, key, text)
        made = Shelved(PARTITION, key, notice, ingest.held(PARTITION, text, tokens))
        return (*gone, made), f"The skill {skill.name} stands in the context now{_files(skill)}"

    def emptied(self, edits: WorkingEdits, needed: int) -> tuple[WorkingEdits, tuple[Record, ...]]:
        """The edits with so many tokens free for skills, where dropping bodies can do it."""
        known = {key_of(skill) for skill in self.found}
        known |= {one.key for one in edits.window.skill.bodies.shown if one.behind}  # a client's
        gone: list[Record] = []
        while self._room(edits.window) < needed:
            key = next((key for key in edits.window.skill.idle if key in known), None)
            if key is None:
                break
            gone.append(Shelved(PARTITION, key, edits.ingest.gone(PARTITION, key)))
            edits = edits.after(gone[-1:])
        return edits, tuple(gone)

    def _room(self, window: Window) -> int:
        """Tokens another skill may take."""
        bodies = window.skill.bodies.current
        taken = sum(held.text.tokens for held in bodies if held.key != CATALOGUE)
        return min(int(window.limits.capacity * self.share) - taken, self.free(window))


def key_of(skill: Skill) -> str:
    """The key a skill's text stands under: its name, but for the one that is the list's."""
    return skill.name if skill.name != CATALOGUE else f"{CATALOGUE} (skill)"


def _files(skill: Skill) -> str:
    from loom.capabilities.skills.skill import resources

    names = resources(skill)
    more = f" and {len(names) - FILES} more" if len(names) > FILES else ""
    told = f"; its files, by use_skill(name, file): {', '.join(map(visible, names[:FILES]))}{more}"
    return told if names else ""


def catalogue(skills: Sequence[Skill], room: int, count: Callable[[str], int]) -> str:
    """The catalogue of `skills` in their order, at most `room` tokens by `count`; "" where not even
    the heading and their number fit.

    The first form that fits is taken: every description whole; the longest ones cut, all to one
    length; names alone; as many names as fit, with the number of the others.
    """
    from loom.capabilities.skills.skill import DESCRIPTION_CHARS, NAME_CHARS

    if not skills:
        return ""
    heads = [f"- {one_line(skill.name, NAME_CHARS)}" for skill in skills]
    texts = [one_line(skill.description, DESCRIPTION_CHARS) for skill in skills]

    def described(limit: int) -> str:
        told = (f": {cut(text, limit)}" if text else "" for text in texts)
        return "\n".join([HEADING, *map(add, heads, told)])

    def named(shown: int) -> str:
        left = len(heads) - shown
        some = f"and {left:,} more" if shown else counted(left, "skill")
        more = [f"- {some}: find them with use_skill('?')"] if left else []
        return "\n".join([HEADING, *heads[:shown], *more])

    longest = max(map(len, texts))
    for form, low, high in ((described, min(SHORTEST, longest), longest), (named, 0, len(heads))):
        if count(form(high)) <= room:
            return form(high)
        sizes = range(low, high)
        at = bisect_left(sizes, True, key=lambda size: count(form(size)) > room)
        if at:
            return form(sizes[at - 1])
    return ""


def put_list(engine: Engine, skills: Sequence[Skill]) -> None:
    """Put the list of skills into its partition, as large as there is room for."""
    room = int(engine.window.limits.capacity * engine.policy.tuning.catalogue_share)
    room = max(room, LEAST) if skills else 0
    while room >= LEAST:
        count = lambda text: engine.sizes.count(weight(PARTITION, CATALOGUE, text))  # noqa: E731
        with suppress(OverCapacity):
            if text := catalogue(skills, room, count):
                put(engine, PARTITION, CATALOGUE, text)
                return
        room //= 2
    drop(engine, PARTITION, CATALOGUE)


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
            from loom.capabilities.skills.skill import resource

            text = resource(skills.named(name), file)
        else:
            records, text = skills.activated(edits, name)
        said = f"Skill {name[:60]}" + (f": {file[:60]}" if file else "")
        page = ""
        if len(text) > limit:
            text = edits.ingest.redact(text)
            page = edits.workspace.put_page(PARTITION, ".txt", text.encode("utf-8", "replace"))
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
