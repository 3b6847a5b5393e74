"""Pins that leave no room: which entries and lines a host has to let go of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from loom_partitions.history import pinned_entries
from loom_partitions.memory import PINNED
from loom_partitions.message import Digest, Step, UserTurn, name_of
from loom_partitions.window import Window

NAMED = 5  # pinned entries an error names


class Culprit(Struct, frozen=True):
    """The partition whose pins take the room, their tokens, and what to do about it."""

    partition: str
    tokens: int
    advice: str


def pinned(window: Window) -> list[UserTurn | Step]:
    """The entries the host pinned that stand in a window."""
    kept = pinned_entries(window.history)
    if not kept:
        return []
    standing = window.history.stream.entries
    return [one for one in standing if one.id in kept and not isinstance(one, Digest)]


def named(entries: Iterable[UserTurn | Step], size: Callable[[int], str] = "{:,}".format) -> str:
    """Entries by their names with the `size` of their tokens, the largest first; many are
    counted."""
    largest = sorted(entries, key=lambda entry: -entry.tokens)
    told = ", ".join(f"{name_of(entry)} ({size(entry.tokens)})" for entry in largest[:NAMED])
    return f"{told} and {len(largest) - NAMED} more" if len(largest) > NAMED else told


def culprit(window: Window, excess: int) -> Culprit | None:
    """The pins that take at least the `excess` tokens a window is too large by; None when even
    without them it would not fit."""
    entries = pinned(window)
    lines = window.memory.get(PINNED)
    by_entries = sum(entry.tokens for entry in entries)
    by_lines = lines.tokens if lines is not None else 0
    if not 0 < excess <= by_entries + by_lines:
        return None
    if by_entries >= min(by_lines, excess):
        return Culprit(
            "history",
            by_entries,
            f"{by_entries:,} of them are pinned, {named(entries)}: unpin one, or open a larger"
            " window",
        )
    return Culprit(
        "memory",
        by_lines,
        f"{by_lines:,} of them are lines that are pinned: unpin one, or open a larger window",
    )
