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
    """Return a limit as an upper bound: infinity for 0 (no limit), 0 for a negative limit."""
    return max(limit, 0) if limit else inf


def pools_given_to_children(spawned: Collection[Spawned]) -> dict[str, int]:
    """Return {name of a pool: amount given to children} for each pool in `POOLS`. `agents` counts
    the children and the agents that they may spawn."""
    budgets = [one.budget for one in spawned if one.budget is not None]
    given = {pool: sum(max(getattr(one, pool), 0) for one in budgets) for pool in POOLS}
    return given | {"agents": given["agents"] + len(spawned)}


def spent_budget(workspace: Workspace) -> dict[str, float]:
    """Return {name: amount used} for `seconds` and the names in `POOLS`. What the agent gave to its
    children counts as used."""
    index = workspace.index
    given = pools_given_to_children(index.spawned.values())
    return given | {"steps": given["steps"] + index.steps, "seconds": elapsed_seconds(workspace)}


def elapsed_seconds(workspace: Workspace) -> float:
    """Return the seconds since an agent's first commit; 0 if it has no commit."""
    began = workspace.folded.began
    return (workspace.clock() - began) / 1_000 if began else 0.0


def check_step_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when an agent has used all its `steps`. `name` is the agent's name."""
    budget = workspace.window.config.budget
    if (
        budget is not None
        and budget.steps
        and (used := spent_budget(workspace)["steps"]) >= budget.steps
    ):
        raise BudgetSpent("steps", used, budget.steps, name)


def check_time_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when an agent has run longer than its `seconds`. `name` is the agent's."""
    budget = workspace.window.config.budget
    if (
        budget is not None
        and budget.seconds
        and (used := elapsed_seconds(workspace)) > budget.seconds
    ):
        raise BudgetSpent("seconds", used, budget.seconds, name)


def check_turn_budget(workspace: Workspace, name: str) -> None:
    """Raise BudgetSpent when an agent's `seconds` or `steps` are used up. `name` is the agent's."""
    check_time_budget(workspace, name)
    check_step_budget(workspace, name)
