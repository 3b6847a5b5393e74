"""The parts of the documented small-window layout, in tokens of the window at hand.

The documents state them for a window of 8,192: instructions and tools 1,500, examples 500,
compacted history 500, recent steps 2,000, goal 200, reply 3,492. In another window each part is the
same share of what is left beside the reply. What a policy states as 0 is no part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from loom.policy import Policy
from loom_partitions.edits import Edit, Lowered
from loom_partitions.limits import Limits
from loom_partitions.message import Entry
from loom_partitions.stream import is_lowered


def part(policy: Policy, limits: Limits, tokens: int) -> int:
    """The tokens a part stated as `tokens` has under these limits; 0 for no part."""
    if not tokens or not policy.layout_room:
        return tokens
    return max(round(tokens * limits.room / policy.layout_room), 1)


def left_for_digest(
    policy: Policy,
    limits: Limits,
    standing: Iterable[Entry],
    edits: Iterable[Edit] = (),
    gone: Collection[int] = (),
) -> int:
    """Tokens that the lines which stay, of `standing` less what is `gone` and of `edits`, leave a
    digest in the part of the compacted history; no bound where there is no such part."""
    if not policy.compacted_tokens:
        return 1 << 30
    lines = {one.id: one.tokens for one in standing if is_lowered(one) and one.id not in gone}
    lines |= {one.entry: one.tokens for one in edits if isinstance(one, Lowered)}
    return part(policy, limits, policy.compacted_tokens) - limits.run - sum(lines.values())
