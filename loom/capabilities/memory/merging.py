"""Guides as one text within a budget of bytes, and where each of its lines comes from.

The parts stand from the root to the closest, a blank line between two. The closest is served
first, since it wins: it is what a budget must not take away. The first that does not fit whole is
cut at the end of a line, with a notice; a guide further up then has what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.guide_text import GuideLine
from loom.providers.render.naming import named
from loom.text import size_of

BUDGET = 32 * 1024  # bytes of all guides together, the default of Codex
JOINT = "\n\n"
PATH_CHARS = 300
CUT = "[{path}: {left} of {lines} lines left out; the file holds them]"
TOO_LARGE = "[{path}: too large to be read whole; the file holds the rest]"


class GuidePart(Struct, frozen=True):
    """The part of a guide that is taken: its first lines and the notice of a cut, "" for none."""

    guide: Guide
    lines: tuple[GuideLine, ...]
    notice: str = ""

    @property
    def text(self) -> str:
        """Its lines, then the notice of what was cut."""
        return "\n".join([*(line.text for line in self.lines), *filter(None, [self.notice])])


class Origin(Struct, frozen=True, array_like=True):
    """Where a line of the merged text stands: the guide's path and line, 0 where it is Loom's."""

    path: str
    line: int
    text: str


class Merged(Struct, frozen=True):
    """The parts, from the root to the closest; `left_out` are paths there was no room for.

    `every` are all guides whole, whatever the budget: the window has other bounds for them. The
    last `joined` of those were found while the agent worked, in the order they were.
    """

    parts: tuple[GuidePart, ...] = ()
    left_out: tuple[str, ...] = ()
    joined: int = 0
    every: tuple[GuidePart, ...] = ()

    @property
    def text(self) -> str:
        """All of it."""
        return JOINT.join(part.text for part in self.parts)

    @property
    def late(self) -> frozenset[str]:
        """The names of the guides found while the agent worked."""
        return frozenset(part.guide.name for part in self.every[len(self.every) - self.joined :])

    @property
    def own(self) -> tuple[GuidePart, ...]:
        """The guides of the project itself whole, from its root to the working folder."""
        return self.every[: len(self.every) - self.joined]

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Where each line of the text comes from."""
        return tuple(self._origins())

    def _origins(self) -> Iterator[Origin]:
        for number, part in enumerate(self.parts):
            path = part.guide.path
            if number:
                yield Origin("", 0, "")
            yield from (Origin(path, line.number, line.text) for line in part.lines)
            if part.notice:
                yield Origin(path, 0, part.notice)


def merged(guides: Sequence[Guide], budget: int = BUDGET) -> Merged:
    """The guides, given from the root to the closest, in at most `budget` bytes of UTF-8."""
    parts: list[GuidePart] = []
    left_out: list[str] = []
    left = budget
    for guide in reversed(guides):
        room = left - (len(JOINT) if parts else 0)
        part = _fitted(guide, room)
        if part is None:
            left_out.append(guide.name)
            continue
        parts.append(part)
        left = room - size_of(part.text)
    every = tuple(map(_whole, guides))
    return Merged(tuple(reversed(parts)), tuple(reversed(left_out)), every=every)


def _whole(guide: Guide) -> GuidePart:
    """All that was read of a guide, and a notice where the file holds more."""
    return GuidePart(
        guide, guide.lines, "" if guide.whole else TOO_LARGE.format(path=_named(guide))
    )


def _fitted(guide: Guide, room: int) -> GuidePart | None:
    """As many lines of a guide as fit, whole when all do; None when not one does."""
    whole = _whole(guide)
    if size_of(whole.text) <= room:
        return whole
    room -= size_of(_notice(guide, len(guide.lines))) + 1
    taken = 0
    for line in guide.lines:
        room -= size_of(line.text) + (1 if taken else 0)
        if room < 0:
            break
        taken += 1
    if not taken:
        return None
    return GuidePart(guide, guide.lines[:taken], _notice(guide, len(guide.lines) - taken))


def _notice(guide: Guide, left: int) -> str:
    return CUT.format(path=_named(guide), left=f"{left:,}", lines=f"{len(guide.lines):,}")


def _named(guide: Guide) -> str:
    """The path as a notice, which is one line, may show it."""
    return named(guide.path, PATH_CHARS)
