"""What an agent that works for another may use of steps, room and time."""

from __future__ import annotations

from loom.compress.parts import part
from loom.errors import BudgetSpent
from loom.policy import Policy
from loom.providers.counts.sizes import MESSAGE
from loom_partitions.limits import Budget, Limits
from loom_partitions.message import Said, Step

BESIDE = 32  # tokens of a result beside its text: its message, the id of its call


def check_step(budget: Budget | None, steps: int) -> None:
    """Raise BudgetSpent when no further reply may come after `steps`."""
    if budget is not None and budget.steps and steps >= budget.steps:
        raise BudgetSpent("steps", steps, budget.steps)


def step_room(
    budget: Budget | None, policy: Policy, limits: Limits, step: Step | None = None
) -> int:
    """Tokens one text, or the results of one step, may take: the policy's share, less where the
    step's reply has taken of the part of the recent steps, at most what the agent was given."""
    share = int(limits.capacity * policy.step_share)
    recent = part(policy, limits, policy.recent_tokens)
    if recent:
        share = max(min(share, recent - _taken(step)), 0)
    return min(share, budget.step_tokens) if budget and budget.step_tokens else share


def _taken(step: Step | None) -> int:
    """Tokens of a step's reply, and of what every result takes beside its text."""
    if step is None:
        return 0
    parts = sum(one.text.tokens if isinstance(one, Said) else one.tokens for one in step.parts)
    return MESSAGE + parts + BESIDE * len(step.calls)


def check_time(budget: Budget | None, began: int, now: int) -> None:
    """Raise BudgetSpent when too much time has passed; milliseconds."""
    if budget is not None and budget.seconds and now - began > budget.seconds * 1_000:
        raise BudgetSpent("seconds", (now - began) / 1_000, budget.seconds)
