"""What an agent that works for another may use of steps, room and time.

Some limits are bounds of each agent by itself: `step_tokens`, `seconds`, `depth`. The others are
*pools*, of an agent and all below it together: what it gives to a child is spent when it is given,
whether the child uses it or not. Each child's share is in the record that spawned it, so no other
agent has to be asked what it used, wherever it runs, and a kill loses no account.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf
from typing import TYPE_CHECKING

from loom.compress.parts import part
from loom.errors import BudgetSpent
from loom.policy import Policy
from loom.providers.counts.sizes import MESSAGE
from loom_partitions.children import Spawned
from loom_partitions.limits import Budget, Limits
from loom_partitions.message import Said, Step

if TYPE_CHECKING:
    from loom.engine.engine import Engine

BESIDE = 32  # tokens of a result beside its text: its message, the id of its call
POOLS = ("steps", "files", "bytes", "agents")


def most(limit: float) -> float:
    """The most a limit allows: no bound for 0, which leaves it out, nothing for less than 0."""
    return max(limit, 0) if limit else inf


def given_away(spawned: Collection[Spawned]) -> dict[str, int]:
    """What of each pool went to agents below, each of them one of `agents` itself."""
    budgets = [one.budget for one in spawned if one.budget is not None]
    given = {pool: sum(max(getattr(one, pool), 0) for one in budgets) for pool in POOLS}
    return given | {"agents": given["agents"] + len(spawned)}


def spent(engine: Engine) -> dict[str, float]:
    """The seconds of an agent, and what of each pool it has used or given to agents below."""
    index = engine.workspace.index
    given = given_away(index.spawned.values())
    return given | {"steps": given["steps"] + index.steps, "seconds": elapsed(engine)}


def elapsed(engine: Engine) -> float:
    """Seconds since the first commit of an agent; 0 before it."""
    began = engine.workspace.folded.began
    return (engine.workspace.clock() - began) / 1_000 if began else 0.0


def name_of(engine: Engine) -> str:
    """The name of an agent, as its budget is told of: that of the folder it lives in."""
    store = engine.workspace.store
    return engine.folder.name if engine.folder is not None else str(getattr(store, "name", ""))


def check_step(engine: Engine) -> None:
    """Raise BudgetSpent when no further reply may come."""
    budget = engine.window.config.budget
    if budget is not None and budget.steps and (used := spent(engine)["steps"]) >= budget.steps:
        raise BudgetSpent("steps", used, budget.steps, name_of(engine))


def check_time(engine: Engine) -> None:
    """Raise BudgetSpent when too much time has passed."""
    budget = engine.window.config.budget
    if budget is not None and budget.seconds and (used := elapsed(engine)) > budget.seconds:
        raise BudgetSpent("seconds", used, budget.seconds, name_of(engine))


def check_turn(engine: Engine) -> None:
    """Raise BudgetSpent when no request may be made any more: its reply could not be taken in."""
    check_time(engine)
    check_step(engine)


def step_room(
    budget: Budget | None,
    policy: Policy,
    limits: Limits,
    step: Step | None = None,
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
