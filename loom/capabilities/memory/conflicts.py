"""Where two guides in force give different rules about the same thing: the closest one stands.

Theory of operation
-------------------
Each statement of a guide is read as at most a few *claims*: a subject, and what the guide says of
it. Two claims clash when the subject is the same and what is said excludes the other:

    setting   "Line length: 88", "Limit lines to 88 characters": a number for equal words
    value     "Formatter: `black`", a label with a value no longer than a name
    command   "Run the tests with `make test`": a command for an equal purpose
    choice    "Use tabs": one of a set of which a project has one (ALTERNATIVES)
    order     "Always squash commits", "Never squash commits": the same words, bid and forbidden
    rank      "Prefer a over b", "Prefer b over a"
    narrowed  "Always add hints", "Never add hints in tests": an order the closer guide takes back
    due       "Run only `a` before committing": without "only", what is due at a moment adds up

Subjects are compared as sets of words without endings. A guide that claims several things of one
subject lists them, rather than to choose, so its claims clash with none. Only a guide of a folder
and one further up on the way to it are compared; guides of sibling folders never meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from loom.capabilities.memory.claims import RuleClaim, claims
from loom.capabilities.memory.merging import GuidePart
from loom.capabilities.memory.statements import statements
from loom.providers.render.naming import in_quotes, named

SHOWN_MOST = 8  # lines the model is told; the others are counted
LINE_CHARS = 200
SAID_CHARS = 50
HEADING = "Conflicting rules; the closest file wins in its folder:"
MORE = "{more} more: `loom memory` lists them"


class Stated(Struct, frozen=True):
    """A rule as a guide states it: the path, the line, and its words."""

    path: str
    line: int
    text: str

    @property
    def where(self) -> str:
        """The file and the line."""
        return f"{self.path}:{self.line}"


class GuideConflict(Struct, frozen=True):
    """Two rules about the same thing: the one that `stands`, and the one it `overrides`.

    That holds `below` a folder, from the root, "." for all of the project; elsewhere the other.
    """

    stands: Stated
    overrides: Stated
    below: str = "."

    @property
    def line(self) -> str:
        """Both by path and line, and in their words: at most LINE_CHARS characters."""
        one, two = (_place(side) for side in (self.stands, self.overrides))
        where = "" if self.below == "." else f"below {named(f'{self.below}/', 40)}: "
        left = LINE_CHARS - len(where) - len(one) - len(two) - len("  overrides  ")
        each = max(min(SAID_CHARS, left // 2), 8)
        said = [in_quotes(side.text, each) for side in (self.stands, self.overrides)]
        return f"{where}{one} {said[0]} overrides {two} {said[1]}"


def conflicts(parts: Sequence[GuidePart]) -> tuple[GuideConflict, ...]:
    """The conflicts between guides in force, in the order of what stands.

    Of three that differ, the closest is held against the next one up.
    """
    read = [(part, _single(claims(statements(part.lines)))) for part in parts]
    found: dict[tuple[str, int, str, int], GuideConflict] = {}
    for at, (part, mine) in enumerate(read):
        above = [pair for pair in read[:at] if _covers(pair[0], part)]
        for claim in mine.values():
            for other, theirs in reversed(above):
                held = theirs.get(claim.subject)
                if held is None:
                    continue
                if claim.clashes(held):
                    stands = Stated(part.guide.path, claim.line, claim.text)
                    overrides = Stated(other.guide.path, held.line, held.text)
                    key = (stands.path, stands.line, overrides.path, overrides.line)
                    found.setdefault(key, GuideConflict(stands, overrides, part.guide.scope))
                break
    return tuple(found.values())


def told(found: Sequence[GuideConflict]) -> str:
    """The conflicts as the model is told them, a line each; "" where there is none."""
    if not found:
        return ""
    more = [MORE.format(more=len(found) - SHOWN_MOST)] if len(found) > SHOWN_MOST else []
    return "\n".join([HEADING, *(f"- {one.line}" for one in found[:SHOWN_MOST]), *more])


def _single(made: Iterable[RuleClaim]) -> dict[tuple[str, ...], RuleClaim]:
    """The claims by subject, less those a guide makes several different ones of."""
    found: dict[tuple[str, ...], RuleClaim] = {}
    several: set[tuple[str, ...]] = set()
    for claim in made:
        known = found.setdefault(claim.subject, claim)
        if known.said != claim.said:
            several.add(claim.subject)
    return {subject: claim for subject, claim in found.items() if subject not in several}


def _covers(above: GuidePart, below: GuidePart) -> bool:
    """True when a guide's folder is, or holds, that of another."""
    one, two = above.guide.scope, below.guide.scope
    return one == "." or two == one or two.startswith(f"{one}/")


def _place(side: Stated) -> str:
    return f"{named(side.path, 60)}:{side.line}"
