"""What takes the room of a window, in words a host can act on: a partition, its tools, or pins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from loom.errors import OverCapacity
from loom_partitions.history import pinned_entries
from loom_partitions.message import Digest, Step, UserTurn, name_of
from loom_partitions.shelf import PINNED
from loom_partitions.window import Window

NAMED = 5  # pinned entries an error names
TOOLS = (
    "the tools need {tokens:,} tokens of a capacity of {capacity:,} (window less reply){own}:"
    " declare fewer or shorter ones, or open a larger window"
)
OWN = "; {tokens:,} of them are Loom's own tools, which Policy.own_tools=False leaves out"
PINS = "{tokens:,} of them are {pins}: unpin one, or open a larger window"


def pinned_in_window(window: Window) -> list[UserTurn | Step]:
    """Return the entries of the window that the host pinned."""
    kept = pinned_entries(window.history)
    if not kept:
        return []
    standing = window.history.stream.entries
    return [one for one in standing if one.id in kept and not isinstance(one, Digest)]


def entry_sizes(
    entries: Iterable[UserTurn | Step], size: Callable[[int], str] = "{:,}".format
) -> str:
    """Return the names of entries with their tokens, the largest first, as text: "step_0003
    (1,204), user_0001 (90) and 3 more". `size` turns a number of tokens into text."""
    largest = sorted(entries, key=lambda entry: -entry.tokens)
    told = ", ".join(f"{name_of(entry)} ({size(entry.tokens)})" for entry in largest[:NAMED])
    return f"{told} and {len(largest) - NAMED} more" if len(largest) > NAMED else told


def over_capacity_error(
    window: Window, needs: Mapping[str, int], excess: int, own: Collection[str] = ()
) -> OverCapacity:
    """Return the error for a window that is `excess` tokens too large; it names what takes the
    room. `needs` maps each partition to its tokens. `own` has the names of Loom's own tools."""
    capacity = window.limits.capacity
    entries = pinned_in_window(window)
    lines = window.memory.get(PINNED)
    by_entries = sum(entry.tokens for entry in entries)
    by_lines = lines.tokens if lines is not None else 0
    if 0 < excess <= by_entries + by_lines:
        by_entry = by_entries >= min(by_lines, excess)
        partition, tokens = ("history", by_entries) if by_entry else ("memory", by_lines)
        pins = f"pinned, {entry_sizes(entries)}" if by_entry else "lines that are pinned"
        advice = PINS.format(tokens=tokens, pins=pins)
        return OverCapacity(partition, max(needs[partition], tokens), capacity, advice)
    partition = max(needs, key=lambda name: needs[name])
    skill = window.skill.settle()
    if partition != "skill" or skill.tools.tokens <= skill.bodies.tokens:
        return OverCapacity(partition, needs[partition], capacity)
    held = [(one.key, one.text.tokens) for one in skill.tools.current]
    answered = sum(size for name, size in held if name in own)
    ours = OWN.format(tokens=answered) if answered else ""
    said = TOOLS.format(tokens=skill.tools.tokens, capacity=capacity, own=ours)
    return OverCapacity(partition, needs[partition], capacity, said=said)
