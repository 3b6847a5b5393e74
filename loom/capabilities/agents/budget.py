"""The budget of an agent that works for another, and the errors raised when it is spent."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from loom.capabilities.agents.result import Artefact, size_of
from loom.errors import LoomError
from loom_partitions.limits import Budget


class BudgetSpent(LoomError):
    """A child has used all it was given of `what`; it can still deliver what it has."""

    def __init__(self, what: str, used: float, limit: float) -> None:
        self.what = what
        self.used = used
        self.limit = limit
        super().__init__(
            f"{used:,g} {what} of a budget of {limit:,g}: deliver what there is, or have the parent"
            " spawn one with more"
        )


class TooDeep(LoomError):
    """An agent that may have none below it."""

    def __init__(self, depth: int, limit: int) -> None:
        self.depth = depth
        self.limit = limit
        super().__init__(
            f"an agent at depth {depth} would stand below the deepest allowed, {limit}: do the work"
            " here, or have a parent spawn it"
        )


def check_step(budget: Budget | None, steps: int) -> None:
    """Raise BudgetSpent when no further reply may come after `steps`."""
    if budget is not None and budget.steps and steps >= budget.steps:
        raise BudgetSpent("steps", steps, budget.steps)


def step_room(budget: Budget | None, tokens: int) -> int:
    """Tokens the results of one step may take, of so many there is room for."""
    return min(tokens, budget.step_tokens) if budget and budget.step_tokens else tokens


def check_time(budget: Budget | None, began: int, now: int) -> None:
    """Raise BudgetSpent when too much time has passed; milliseconds."""
    if budget is not None and budget.seconds and now - began > budget.seconds * 1_000:
        raise BudgetSpent("seconds", (now - began) / 1_000, budget.seconds)


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
