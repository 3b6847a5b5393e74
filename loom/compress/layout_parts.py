"""The parts of the documented small-window layout, in tokens of the window at hand.

The documents state them for a window of 8,192: instructions and tools 1,500, examples 500,
compacted history 500, recent steps 2,000, goal 200, reply 3,492. In another window each part is the
same share of what is left beside the reply. What a policy states as 0 is no part.
"""

from __future__ import annotations

from loom.policy import Policy
from loom_partitions.limits import Limits


def layout_part_tokens(policy: Policy, limits: Limits, tokens: int) -> int:
    """The tokens a part stated as `tokens` has under these limits; 0 for no part."""
    if not tokens or not policy.layout.room:
        return tokens
    return max(round(tokens * limits.room / policy.layout.room), 1)
