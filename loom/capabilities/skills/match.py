"""Which skills a goal plainly calls for. The rule is in `matching`.

Words are compared by their stems ("creating GIFs" holds the stems of "create a gif"). A description
also says what a skill is *not* for; clauses that begin so are left out. COMMON are words any task
may hold; they tell nothing however few skills have them, which counts most where there are few
skills and every word is rare.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log

from msgspec import Struct

from loom.capabilities.skills.skill import DESCRIPTION_CHARS, Skill
from loom.lazy import lazy_re
from loom.search.terms import STOP, name_of, terms

MOST = 2  # skills of one goal
GOAL_CHARS = 4_000  # of a goal that are looked at
SHARED = 3  # rare stems a goal and a skill share at least; one fewer with one of the name
RARE = 16  # a stem is rare in one skill, or in one of so many
COVERED = 0.2  # of a goal's stems a skill shares at least: a long text shares some with anything
ABOVE = 1.5  # times the score of the next skill
NAMED = 2.0  # weight of a stem that stands in the skill's name
RESTATED = 0.5  # "most": of a goal's words in a description, and of the description's in the goal

_CLAUSE = lazy_re(r"[.;\n]\s|\s[-–—]\s|[()]")
_DENIED = lazy_re(r"(?:do not|don't|not|never|skip|rather than|instead of)\b", re.IGNORECASE)
_DOUBLED = lazy_re(r"([b-df-hj-np-tv-z])\1$")
_ENDINGS = ("ions", "ings", "ion", "ing", "ies", "es", "ed", "s", "e", "y")
_WORDS = """
add agent app application apply ask bad based break build bug call change check clean code command
complete convert copy create current data debug delete describe do document edit error example
execute existing explain fail feature file find finish fix folder follow format full function
generate get give good great guide handle help high implement important improve include input
instruction issue keep kind list local look make manage many message mode modify move multiple name
need new number old open output page part pass place please point problem process produce project
provide python question quick read release remove rename repo repository request require result
return review run script section see set show simple small something specific start state
step stop style support sure system take task team test text thing tool try turn type understand
update use user using various version view want way whole work workflow write wrong
"""


class _Known(Struct, frozen=True):
    """The stems of a skill; `told` are those of its whole description but for stop words."""

    name: tuple[str, ...]
    all: frozenset[str]
    told: frozenset[str]


def matching(goal: str, skills: Sequence[Skill]) -> tuple[Skill, ...]:
    """The skills `goal` plainly calls for, best first, at most two; () when in doubt.

    A skill is *restated* when the goal is its description in most of its words: half of the stems
    of each, three at least, stand in the other, COMMON ones too; where they are all COMMON, every
    one. It comes first.

    A skill is *named* when its name stands in the goal as written, or its words one after the other
    with one of them not COMMON or beside the word "skill"; a name of one word only beside that word
    or behind a `/` or `$`; any name when it is all of the goal. Named skills come next.

    Another is *described* by its rare stems that the goal shares: stems of its name and description
    that are not COMMON and stand in this skill alone, or in one of sixteen. They must be three, or
    two and one of them of the name; what is shared must be a fifth of the goal's stems; and the
    skill's score, the sum of their idf over the skills, twice for those of the name, must be half
    as much again as that of the best skill not chosen. Two are chosen only when they are near.
    """
    text = goal[:GOAL_CHARS]
    said = _stems(text)
    if not said or not skills:
        return ()
    known = [_known(skill) for skill in skills]
    written = frozenset(terms(text).names)
    named = [
        at
        for at, one in enumerate(known)
        if name_of(skills[at].name) in written or _is_named(text, said, skills[at].name, one)
    ]
    scores = _scores(frozenset(said) - COMMON, known)
    named.sort(key=lambda at: -scores[at][0])
    again = _restated(frozenset(said) - _STOPPED, known)
    named = [*again, *(at for at in named if at not in again)]
    ranked = sorted(
        (at for at in range(len(skills)) if at not in named), key=lambda at: -scores[at][0]
    )
    told = next((n for n in range(len(ranked)) if not scores[ranked[n]][1]), len(ranked))
    room = min(MOST - len(named), told)
    best = [scores[at][0] for at in ranked] + [0.0]
    for taken in range(room, 0, -1):
        last = best[taken - 1]
        if last >= ABOVE * best[taken] and last * ABOVE >= best[0]:
            named += ranked[:taken]
            break
    return tuple(skills[at] for at in named[:MOST])


@lru_cache(maxsize=1 << 12)
def stem(word: str) -> str:
    """A word without its ending: one stem for `create`, `creating`, `creation`."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return _DOUBLED.sub(r"\1", word) if len(word) > 3 else word


def _stems(text: str) -> tuple[str, ...]:
    """The stems of a text in its order; a single letter is a rest of an apostrophe."""
    return tuple(stem(word) for word in terms(text).words if len(word) > 1 or not word.isascii())


SKILL = stem("skill")
_STOPPED = frozenset(map(stem, STOP))
COMMON = frozenset(map(stem, [*STOP, *_WORDS.split()]))


def _known(skill: Skill) -> _Known:
    name = _stems(skill.name)
    described = skill.description[:DESCRIPTION_CHARS]
    clauses = _CLAUSE.split(described)
    kept = " . ".join(clause for clause in clauses if not _DENIED.match(clause.strip()))
    told = frozenset(_stems(described)) - _STOPPED
    return _Known(name, frozenset(name) | frozenset(_stems(kept)), told)


def _is_named(goal: str, said: tuple[str, ...], name: str, known: _Known) -> bool:
    size = len(known.name)
    if size and said == known.name:
        return True
    if size > 1:
        places = [at for at in range(len(said) - size + 1) if said[at : at + size] == known.name]
        beside = any(SKILL in (*said[max(at - 1, 0) : at], *said[at + size :][:1]) for at in places)
        return beside or (bool(places) and not COMMON.issuperset(known.name))
    word = re.escape(name)
    called = rf"(?<![\w/.-])[/$]{word}(?![\w/.-])|\b{word}\s+skill\b|\bskill\s+[\"'`]?{word}\b"
    return bool(name and re.search(called, goal, re.IGNORECASE))


def _restated(said: frozenset[str], known: Sequence[_Known]) -> list[int]:
    """The skill whose description the goal is, in most of its words; none where two are equal."""
    alike: list[tuple[float, int]] = []
    for at, skill in enumerate(known):
        shared = said & skill.told
        most = 1.0 if shared <= COMMON else RESTATED
        if len(shared) >= SHARED and len(shared) >= most * max(len(said), len(skill.told)):
            alike.append((2 * len(shared) / (len(said) + len(skill.told)), at))
    alike.sort(key=lambda one: (-one[0], one[1]))
    clear = len(alike) == 1 or (len(alike) > 1 and alike[0][0] > alike[1][0])
    return [alike[0][1]] if clear else []


def _scores(said: frozenset[str], known: Sequence[_Known]) -> list[tuple[float, bool]]:
    """(score, whether it is enough to be described) of each skill."""
    having = Counter(one for skill in known for one in skill.all & said)
    rare = max(1, len(known) // RARE)
    made: list[tuple[float, bool]] = []
    for skill in known:
        shared = said & skill.all
        telling = sorted(one for one in shared if having[one] <= rare)
        score = sum(
            log(1 + len(known) / having[one]) * (NAMED if one in skill.name else 1.0)
            for one in telling
        )
        needed = SHARED - any(one in skill.name for one in telling)
        enough = len(telling) >= needed and len(shared) >= COVERED * len(said)
        made.append((score, enough))
    return made
