"""What an agent that works for another may use of steps, room and time."""

from __future__ import annotations

from loom.errors import BudgetSpent
from loom_partitions.limits import Budget


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
