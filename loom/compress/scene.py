"""What a compression strategy sees, and what it returns: edits, as data.

A strategy is `(Scene) -> tuple[Edit, ...]`. It never lowers a recent step (below ρ 1.0), never
touches a step with open calls, and frees as much as the target asks, oldest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from loom.config import Policy
from loom.measure import Sizes
from partitions.edits import Edit
from partitions.message import Entry, Notice, Step
from partitions.window import Window

LEAST_DIGEST = 120  # tokens


class Scene:
    """A window about to be cut.

    `reserve` tokens are kept for the dashboard that follows a cut; `target` is what the request,
    dashboard included, should come down to. `recent` is how many of the last steps stay.
    """

    def __init__(
        self,
        window: Window,
        policy: Policy,
        sizes: Sizes,
        read: Callable[[str], str],
        *,
        reserve: int,
        target: int | None = None,
        recent: int | None = None,
    ) -> None:
        self.window = window
        self.policy = policy
        self.sizes = sizes
        self.read = read
        self.reserve = reserve
        self.target = window.limits.target if target is None else target
        self.recent = policy.recent if recent is None else recent

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first."""
        return tuple(self.window.stream.entries)

    @cached_property
    def horizon(self) -> int:
        """Id of the oldest entry that may not be lowered, recent or pinned: all below it is old."""
        steps = (e.id for e in reversed(self.entries) if isinstance(e, Step))
        ids = [id for _, id in zip(range(self.recent), steps, strict=False)]
        if len(ids) < self.recent:
            return 0
        next_id = self.window.next_id
        pinned = (entry for entry, until in self.window.pins if until >= next_id)
        return min([next_id, *ids, *pinned])

    @property
    def old(self) -> Iterator[Entry]:
        """Entries that may be lowered."""
        return (entry for entry in self.entries if entry.id < self.horizon)

    @cached_property
    def excess(self) -> int:
        """Tokens to free to come down to the target; stale notices leave with any cut."""
        stale = sum(i.tokens for i in self.window.stream if isinstance(i, Notice))
        return self.window.tokens.total - stale + self.reserve - self.target

    @cached_property
    def digest_room(self) -> int:
        """Tokens a digest may take."""
        share = int(self.window.limits.capacity * self.policy.digest_share)
        return max(LEAST_DIGEST, min(self.policy.digest_tokens, share))


Strategy = Callable[[Scene], tuple[Edit, ...]]
