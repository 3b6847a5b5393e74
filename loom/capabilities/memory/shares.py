"""How much of the room each guide may take: a rule that starves neither the near nor the far.

Theory of operation
-------------------
The chain, from the root to the working folder, holds the project's own rules: where it fits, it
stands whole, and guides found later have what it leaves. Where it does not, it is shown in part
anyway, and leaves a part of the room free for those found later: a quarter, or half where all is
made anew while the work is nearest to one of them. So no file deep in a project takes the rules of
the root away, those of the folder worked in are no mere name, and one that comes moves nothing
that stands: a text shown anew stands twice in the window until the next cut. Among each kind the
closest is served first, as it wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.capabilities.memory.guide_order import Guide
from loom.capabilities.memory.merging import JOINT, GuidePart
from loom.text import size_of

LEAST = 120  # tokens of a guide that has to wait for the others: its headings, most often
BYTES_A_TOKEN = 4
FREE = 4  # a part in so many of the room is not for a chain that does not fit


def shares(needs: Sequence[int], room: int, least: int = LEAST) -> list[int]:
    """What each may take: the first its need, as long as the others keep their least, or half."""
    given = list[int]()
    waiting = sum(min(least, need) for need in needs)
    left = max(room, 0)
    for need in needs:
        waiting -= min(least, need)
        given.append(min(need, max(left - waiting, left // 2)))
        left -= given[-1]
    return given


def lessened(given: Sequence[int], by: int, least: int = LEAST) -> list[int]:
    """Shares less some tokens, which the last served give first, each down to its least.

    The first gives none, unless it is alone.
    """
    left = list[int]()
    for at, share in reversed([*enumerate(given)]):
        taken = max(min(by, share - least), 0) if at or len(given) == 1 else 0
        by -= taken
        left.insert(0, share - taken)
    return left


def distance(folder: str, work: str) -> int:
    """Steps from one folder to another, both from the root, "." for the root itself."""
    here, there = (at.split("/") if at != "." else [] for at in (folder, work))
    same = 0
    while same < min(len(here), len(there)) and here[same] == there[same]:
        same += 1
    return len(here) + len(there) - 2 * same


def far(guide: Guide, work: str) -> tuple[int, bool]:
    """A key by which the guide nearest to the folder worked in comes first, then its imports."""
    return distance(guide.scope, work), bool(guide.by)


def byte_shares(chain: Sequence[GuidePart], most: int) -> dict[str, int]:
    """The bytes each of a chain may take, by name; none where they fit. The closest is last."""
    sizes = {part.guide.name: size_of(part.text) + len(JOINT) for part in reversed(chain)}
    if sum(sizes.values()) <= most + len(JOINT):
        return {}
    given = shares([*sizes.values()], most, LEAST * BYTES_A_TOKEN)
    return dict(zip(sizes, given, strict=True))
