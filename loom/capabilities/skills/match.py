"""Choose the skills that a goal plainly calls for. The rule is in `skills_for_goal`.

Words are compared by their stems ("creating GIFs" holds the stems of "create a gif"). A description
also says what a skill is *not* for; clauses that begin with such words are left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from loom.capabilities.skills.skill_files import DESCRIPTION_CHARS, Skill
from loom.lazy import lazy_re
from loom.search.terms import STOP, index_terms

MOST = 2  # skills of one goal
GOAL_CHARS = 4_000  # of a goal that are looked at
SHARED = 3  # telling stems a goal and a skill share at least; one fewer with one of the name
COVERED = 0.5  # of a goal's stems that a skill holds at least
RARE = 16  # a stem tells of a skill when one alone has it, or one of so many

_CLAUSE = lazy_re(r"[.;\n]\s|\s[-–—]\s|[()]")
_DENIED = lazy_re(r"(?:do not|don't|not|never|skip|rather than|instead of)\b", re.IGNORECASE)
_DOUBLED = lazy_re(r"([b-df-hj-np-tv-z])\1$")
_ENDINGS = ("ions", "ings", "ion", "ing", "ies", "es", "ed", "s", "e", "y")


def skills_for_goal(goal: str, skills: Sequence[Skill]) -> tuple[Skill, ...]:
    """Return the skills that the text `goal` clearly asks for, best first, at most two; () if
    unsure.

    A skill is *named* if its name is the whole goal, or stands in the goal next to the word "skill"
    or after "/" or "$". A name of several words only needs to occur in the goal word by word.

    Another skill is *described* if its name and description contain half of the goal's word stems,
    and three of these stems are rare: no other skill has them, or at most one skill in sixteen. Two
    rare stems are enough if the skill's name has a rare stem. No rare stem is needed if the skill
    contains all of the goal's stems, three or more. The best two described skills are returned,
    except those with no more stems of the goal than the third."""
    text = goal[:GOAL_CHARS]
    said = _stems(text)
    named = [skill for skill in skills if said and _is_named(text, said, skill.name)]
    wanted = frozenset(said) - _STOPPED
    held = [wanted & _skill_stems(skill) for skill in skills]
    having = Counter(stem for stems in held for stem in stems)
    rare = max(1, len(skills) // RARE)
    described: list[tuple[int, Skill]] = []
    for skill, stems in zip(skills, held, strict=True):
        telling = {stem for stem in stems if having[stem] <= rare}
        needed = SHARED - (not telling.isdisjoint(_stems(skill.name)))
        whole = len(stems) == len(wanted) >= SHARED
        if (len(telling) >= needed or whole) and len(stems) >= COVERED * len(wanted):
            described.append((len(stems), skill))
    described = sorted((one for one in described if one[1] not in named), key=lambda one: -one[0])
    left = described[MOST:][:1]
    named += [skill for size, skill in described[:MOST] if not left or size > left[0][0]]
    return tuple(named[:MOST])


@lru_cache(maxsize=1 << 12)
def stem(word: str) -> str:
    """Return a word without its ending: "create", "creating", "creation" have the same stem."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return _DOUBLED.sub(r"\1", word) if len(word) > 3 else word


def _stems(text: str) -> tuple[str, ...]:
    """Return the stems of a text's words, in order. Single ASCII letters are left out."""
    return tuple(
        stem(word) for word in index_terms(text).words if len(word) > 1 or not word.isascii()
    )


SKILL = stem("skill")
_STOPPED = frozenset(map(stem, STOP))


def _skill_stems(skill: Skill) -> frozenset[str]:
    """Return the stems in a skill's name and description, without clauses on what it is not for."""
    clauses = _CLAUSE.split(skill.description[:DESCRIPTION_CHARS])
    kept = (clause for clause in clauses if not _DENIED.match(clause.strip()))
    return frozenset(_stems(f"{skill.name} . {' . '.join(kept)}"))


def _is_named(goal: str, goal_stems: tuple[str, ...], name: str) -> bool:
    """Return True if `goal` names the skill `name`, as `skills_for_goal` defines it."""
    words = _stems(name)
    size = len(words)
    places = [
        at
        for at in range(len(goal_stems) - size + 1)
        if size and goal_stems[at : at + size] == words
    ]
    beside = any(
        SKILL in (*goal_stems[max(at - 1, 0) : at], *goal_stems[at + size :][:1]) for at in places
    )
    called = rf"(?<![\w/.-])[/$]{re.escape(name)}(?![\w/.-])"
    in_words = goal_stems == words or beside or (size > 1 and bool(places))
    return in_words or bool(name and re.search(called, goal, re.IGNORECASE))
