"""The parts of the documented small-window layout, in tokens of the window at hand.

The documents state the parts for a window of 8,192: instructions and tools 1,500, examples 500,
compacted history 500, recent steps 2,000, goal 200, reply 3,492. In another window each part is the
same share of the room beside the reply. A part that the policy states as 0 does not exist."""

from __future__ import annotations

from loom.policy import Policy
from loom_partitions.limits import Limits


def layout_part_tokens(policy: Policy, limits: Limits, tokens: int) -> int:
    """Return the size in tokens of a part of the small-window layout, such as the recent steps; 0
    means no such part. `tokens` is the size that the policy states, before scaling to this window.
    """
    if not tokens or not policy.layout.room:
        return tokens
    return max(round(tokens * limits.room / policy.layout.room), 1)
