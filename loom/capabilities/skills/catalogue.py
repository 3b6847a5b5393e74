"""The list of skills, which always stands in the window."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import add
from typing import Final

from loom.capabilities.skills.skill_files import DESCRIPTION_CHARS, NAME_CHARS, Skill
from loom.errors import OverCapacity
from loom.providers.render.wording import section_as_counted
from loom.reduce.lines import plural
from loom.session import Engine
from loom.session.head import drop_text, put_text
from loom.text import clip_text, escape_invisible, one_line
from loom_partitions.skill import CATALOGUE

PARTITION: Final = "skill"
ALL = "?"
LEAST = 60  # tokens a list of skills needs to say anything
HEADING = (
    "# Skills\n"
    "Instructions for particular kinds of work. Before work that one of them describes, call"
    " use_skill(name) for its text."
)
SHORTEST = 24  # characters of a description that still say something; below, names alone


def catalogue_text(skills: Sequence[Skill], room: int, count: Callable[[str], int]) -> str:
    """Return a list of `skills` for the model, in at most `room` tokens, with whole, cut or no
    descriptions, or only with some names and the number of the others. "" if nothing fits. `count`
    returns the tokens of a text."""
    if not skills:
        return ""
    heads = [f"- {one_line(skill.name, NAME_CHARS)}" for skill in skills]
    texts = [one_line(skill.description, DESCRIPTION_CHARS) for skill in skills]

    def described(limit: int) -> str:
        told = (f": {clip_text(text, limit)}" if text else "" for text in texts)
        return "\n".join([HEADING, *map(add, heads, told)])

    def named(shown: int) -> str:
        left = len(heads) - shown
        some = f"and {left:,} more" if shown else plural(left, "skill")
        more = [f"- {some}: find them with use_skill('{ALL}')"] if left else []
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


def put_catalogue(engine: Engine, skills: Sequence[Skill]) -> None:
    """Put the list of skills into the skill partition, as large as fits, or remove it."""
    room = int(engine.window.limits.capacity * engine.policy.tuning.catalogue_share)
    room = max(room, LEAST) if skills else 0
    while room >= LEAST:
        count = lambda text: engine.sizes.count(section_as_counted(PARTITION, CATALOGUE, text))  # noqa: E731
        with suppress(OverCapacity):
            if text := catalogue_text(skills, room, count):
                put_text(engine, PARTITION, CATALOGUE, text)
                return
        room //= 2
    drop_text(engine, PARTITION, CATALOGUE)


def full_list(skills: Sequence[Skill]) -> str:
    """Return a line "name: description" for every skill."""
    return "\n".join(
        f"{skill.name}: {escape_invisible(' '.join(skill.description.split()))}" for skill in skills
    )
