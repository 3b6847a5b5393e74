"""The error that says which texts leave a window no room, in words a host can act on."""

from __future__ import annotations

from collections.abc import Collection

from loom.errors import OverCapacity
from loom_partitions.window import Window

TOOLS = (
    "the tools need {tokens:,} tokens of a capacity of {capacity:,} (window less reply){own}:"
    " declare fewer or shorter ones, or open a larger window"
)
OWN = "; {tokens:,} of them are Loom's own tools, which Policy.own_tools=False leaves out"


def over_capacity(
    window: Window, partition: str, tokens: int, advice: str = "", own: Collection[str] = ()
) -> OverCapacity:
    """The error of a partition that needs so many `tokens`; of tools, which stand in C_skill, one
    that says so. `own` names the declared tools that Loom answers."""
    capacity = window.limits.capacity
    skill = window.skill.settle()
    if partition != "skill" or skill.tools.tokens <= skill.bodies.tokens:
        return OverCapacity(partition, tokens, capacity, advice)
    held = [(one.key, one.text.tokens) for one in skill.tools.current]
    answered = sum(size for name, size in held if name in own)
    ours = OWN.format(tokens=answered) if answered else ""
    said = TOOLS.format(tokens=skill.tools.tokens, capacity=capacity, own=ours)
    return OverCapacity(partition, tokens, capacity, said=said)
