"""The text about skills that always stands in the window: which there are, and how to get one.

Theory of operation
-------------------
A catalogue has forms, from the fullest to the smallest: every description whole; the longest
descriptions cut, all to one length, so that short ones stay whole; names alone; as many names as
fit, with the number of the others. The first that fits its room is taken. The length of the second
step and the number of the last are searched by halves, and what is returned has been counted, so a
counter that is not quite monotone costs a few words, never the bound.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from operator import add

from loom.capabilities.skills.skill import DESCRIPTION_CHARS, NAME_CHARS, Skill
from loom.reduce.lines import counted
from loom.text import cut, one_line

HEADING = (
    "# Skills\n"
    "Instructions for particular kinds of work. Before work that one of them describes, call"
    " use_skill(name) for its text."
)
SHORTEST = 24  # characters of a description that still say something; below, names alone


def catalogue(
    skills: Sequence[Skill],
    room: int,
    count: Callable[[str], int],
) -> str:
    """The catalogue of `skills` in their order, at most `room` tokens by `count`.

    "" when there are no skills, or when not even the heading and their number fit.
    """
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
