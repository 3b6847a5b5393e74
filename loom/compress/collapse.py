"""Collapse: the middle of history comes down to what is in use, and one extractive digest.

The first entries stay as they are (they hold the task), and so do the recent ones. A digest already
there is folded with what leaves.
"""

from __future__ import annotations

from loom.compress.auto import with_kept
from loom.compress.scene import Scene
from loom_partitions.edits import Edit
from loom_partitions.message import Digest


def collapse(scene: Scene) -> tuple[Edit, ...]:
    """The plan for the middle."""
    old = list(scene.old)
    first = 0 if old and isinstance(old[0], Digest) else scene.policy.first
    return with_kept(scene, old[first:])
