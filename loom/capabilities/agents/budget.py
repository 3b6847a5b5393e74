"""What an agent may hand over, and how deep agents may stand."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loom.capabilities.agents.result import Artefact, size_of
from loom.errors import BudgetSpent, LoomError
from loom_partitions.limits import Budget


class TooDeep(LoomError):
    """An agent that may have none below it."""

    def __init__(self, depth: int, limit: int) -> None:
        self.depth = depth
        self.limit = limit
        super().__init__(
            f"an agent at depth {depth} would stand below the deepest allowed, {limit}: do the work"
            " here, or have a parent spawn it"
        )


def check_artefacts(budget: Budget | None, artefacts: Sequence[Artefact]) -> None:
    """Raise BudgetSpent for more or larger files than may be handed over."""
    if budget is None:
        return
    if budget.files and len(artefacts) > budget.files:
        raise BudgetSpent("files", len(artefacts), budget.files)
    if budget.bytes and size_of(artefacts) > budget.bytes:
        raise BudgetSpent("bytes", size_of(artefacts), budget.bytes)


def narrowed(budget: Budget, own: Budget | None) -> Budget:
    """A budget to give, no deeper than one's `own`: nobody gives more depth than it has."""
    if own is None or not own.depth:
        return budget
    return replace(budget, depth=min(budget.depth or own.depth, own.depth))


def check_depth(depth: int, limit: int) -> None:
    """Raise TooDeep for an agent that would stand at `depth`; a limit of 0 is none."""
    if limit and depth > limit:
        raise TooDeep(depth, limit)
