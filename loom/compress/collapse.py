"""Collapse: the middle of history becomes one extractive digest.

The first entries stay (they hold the task), the recent ones stay, and as much of what lies
between as the target asks is folded, oldest first. A digest already there is folded with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.compress.digest import digest_of, shape_for
from loom.compress.scene import Scene
from partitions.edits import Edit, Folded
from partitions.message import Digest, Entry


def collapse(scene: Scene) -> tuple[Edit, ...]:
    """One fold of the middle, down to the target."""
    old = list(scene.old)
    first = 0 if old and isinstance(old[0], Digest) else scene.policy.first
    return fold(scene, old[first:])


def fold(scene: Scene, middle: Sequence[Entry]) -> tuple[Edit, ...]:
    """Fold from the front of `middle` until the excess is gone; at least two entries or nothing."""
    wanted = scene.excess + scene.digest_room
    freed = 0
    count = 0
    for entry in middle:
        if freed >= wanted:
            break
        freed += entry.tokens
        count += 1
    if scene.excess <= 0 or count < 2:
        return ()
    return folded(scene, middle[:count])


def folded(scene: Scene, entries: Sequence[Entry]) -> tuple[Edit, ...]:
    """The fold of these entries, if its digest is smaller than they are."""
    if not entries or (len(entries) == 1 and isinstance(entries[0], Digest)):
        return ()
    digest = digest_of(entries, shape_for(scene), scene.sizes.count)
    if digest.tokens >= sum(entry.tokens for entry in entries):
        return ()
    return (Folded(digest.first, digest.last, digest),)
