"""The budget of an agent that works for another: how much is used, and when no call may come.

Theory of operation. The limits `step_tokens`, `seconds` and `depth` each bound one agent. The other
limits are *pools*, shared by an agent and all agents below it: what an agent gives to a child
counts as used when it is given, whether the child uses it or not. The record that spawned a child
holds the child's share, so no agent has to ask another, and a kill loses no account."""

from __future__ import annotations

from collections.abc import Collection
from math import inf

from loom.errors import BudgetSpent
from loom.session.archive.workspace import Workspace
from loom_partitions.surfaces import Spawned

POOLS = ("steps", "files", "bytes", "agents")


def limit_as_bound(limit: float) -> float:
    """Return the largest value a budget's limit allows: infinity for 0 (unset), 0 for negative."""
    return max(limit, 0) if limit else inf


def pools_given_to_children(spawned: Collection[Spawned]) -> dict[str, int]:
    """Return how much of each pool (`POOLS`) the spawn records gave to children, by the pool's
    name. Each child counts as one of `agents`, beside the agents it was given."""
    budgets = [one.budget for one in spawned if one.budget is not None]
    given = {pool: sum(max(getattr(one, pool), 0) for one in budgets) for pool in POOLS}
    return given | {"agents": given["agents"] + len(spawned)}


def spent_budget(workspace: Workspace) -> dict[str, float]:
    """Return what an agent used or gave to children, by name: pools (`POOLS`) and `seconds`."""
    index = workspace.index
    given = pools_given_to_children(index.spawned.values())
    return given | {"steps": given["steps"] + index.steps, "seconds": elapsed_seconds(workspace)}


def elapsed_seconds(workspace: Workspace) -> float:
    """Return the seconds since an agent's first commit, 0 before that commit."""
    began = workspace.folded.began
    return (workspace.clock() - began) / 1_000 if began else 0.0


def check_step_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when an agent has used all its `steps`, so that no further reply may come;
    the error names the agent (`name`)."""
    budget = workspace.window.config.budget
    if (
        budget is not None
        and budget.steps
        and (used := spent_budget(workspace)["steps"]) >= budget.steps
    ):
        raise BudgetSpent("steps", used, budget.steps, name)


def check_time_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when the agent (`name`, for the error) has run more than its `seconds`."""
    budget = workspace.window.config.budget
    if (
        budget is not None
        and budget.seconds
        and (used := elapsed_seconds(workspace)) > budget.seconds
    ):
        raise BudgetSpent("seconds", used, budget.seconds, name)


def check_turn_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when an agent's time or steps are used up: no further reply may come."""
    check_time_budget(workspace, name)
    check_step_budget(workspace, name)
