"""What an agent that works for another has used of its budget, and when no call may follow.

Of its limits `step_tokens`, `seconds` and `depth` bound each by
itself. The others are *pools*, of an agent and all below it together: what it gives to a child is
spent when it is given, whether the child uses it or not. Each child's share is in the record that
spawned it, so no other agent has to be asked what it used, and a kill loses no account.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf

from loom.errors import BudgetSpent
from loom.session.archive.workspace import Workspace
from loom_partitions.surfaces import Spawned

POOLS = ("steps", "files", "bytes", "agents")


def limit_as_bound(limit: float) -> float:
    """The most a limit allows: no bound for 0, which leaves it out, nothing for less than 0."""
    return max(limit, 0) if limit else inf


def pools_given_to_children(spawned: Collection[Spawned]) -> dict[str, int]:
    """The part of each pool that went to agents below, each one of `agents` itself."""
    budgets = [one.budget for one in spawned if one.budget is not None]
    given = {pool: sum(max(getattr(one, pool), 0) for one in budgets) for pool in POOLS}
    return given | {"agents": given["agents"] + len(spawned)}


def spent_budget(workspace: Workspace) -> dict[str, float]:
    """The seconds of an agent, and what of each pool it has used or given to agents below."""
    index = workspace.index
    given = pools_given_to_children(index.spawned.values())
    return given | {"steps": given["steps"] + index.steps, "seconds": elapsed_seconds(workspace)}


def elapsed_seconds(workspace: Workspace) -> float:
    """Seconds since the first commit of an agent; 0 before it."""
    began = workspace.folded.began
    return (workspace.clock() - began) / 1_000 if began else 0.0


def check_step_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when no further reply of an agent may come; `name` is told."""
    budget = workspace.window.config.budget
    if (
        budget is not None
        and budget.steps
        and (used := spent_budget(workspace)["steps"]) >= budget.steps
    ):
        raise BudgetSpent("steps", used, budget.steps, name)


def check_time_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when too much time has passed."""
    budget = workspace.window.config.budget
    if (
        budget is not None
        and budget.seconds
        and (used := elapsed_seconds(workspace)) > budget.seconds
    ):
        raise BudgetSpent("seconds", used, budget.seconds, name)


def check_turn_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when no request may be made any more: its reply could not be taken in."""
    check_time_budget(workspace, name)
    check_step_budget(workspace, name)
