"""What an agent may give to one below it and hand over, and how deep agents may stand.

A child never gets more than is left of what its parent has. Of a pool (`loom.engine.budget`) a
figure named for the child is carved out of what the parent has left, so the shares of a whole tree
never exceed what its first agent had, and a chain or a bomb of spawns ends. A figure left as it is
by default takes no more than half of what is left: a parent that names one limit does not give away
all of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from loom.capabilities.agents.result import Artefact, size_of
from loom.engine import Engine
from loom.engine.budget import POOLS, elapsed, given_away, most, name_of, spent
from loom.errors import BudgetSpent, LoomError
from loom_partitions.limits import Budget

NOTHING = -1  # of a pool: 0 leaves a limit out
NEEDED = ("steps", "agents")  # a child with none of these could do nothing
USUAL = Budget()


class TooDeep(LoomError):
    """An agent that may have none below it; `where` is its name, "" where that is not known."""

    def __init__(self, depth: int, limit: int, where: str = "") -> None:
        self.depth = depth
        self.limit = limit
        self.where = where
        at = f" of {where}" if where else ""
        super().__init__(
            f"an agent at depth {depth} would stand below the deepest allowed{at}, {limit}, with 0"
            " levels left: do the work here, or have a parent spawn it"
        )


def check_artefacts(engine: Engine, artefacts: Sequence[Artefact]) -> None:
    """Raise BudgetSpent for more or larger files than may be handed over."""
    budget = engine.window.config.budget
    if budget is None:
        return
    given = given_away(engine.workspace.index.spawned.values())
    wanted = {"files": len(artefacts), "bytes": size_of(artefacts)}
    for what, used in wanted.items():
        limit = getattr(budget, what)
        left = max(most(limit) - given[what], 0)
        if used > left:
            raise BudgetSpent(what, used + given[what], limit, name_of(engine), left)


def budget_of_child(engine: Engine, asked: Budget | None) -> Budget:
    """The budget of a new child that `asked` for one: at most what this agent has left.

    Raises TooDeep, and BudgetSpent where nothing is left of what every child needs.
    """
    own, where = engine.window.config.budget, name_of(engine)
    wanted = asked or own or USUAL
    depth, limit = engine.window.working.depth + 1, least(wanted.depth, own.depth if own else 0)
    if depth > most(limit):
        raise TooDeep(depth, int(limit), where)
    return narrowed(own, asked, spent(engine), where) if own is not None else wanted


def in_time(engine: Engine, budget: Budget) -> Budget:
    """The budget of a child that begins now: it ends no later than this agent. BudgetSpent."""
    own = engine.window.config.budget
    if own is None:
        return budget
    return replace(budget, seconds=_time(own, budget, elapsed(engine), name_of(engine)))


def narrowed(
    own: Budget, asked: Budget | None, used: Mapping[str, float], where: str = ""
) -> Budget:
    """A budget within one's `own`, of which so much is `used`: seconds, and of each pool.

    Raises BudgetSpent.
    """
    wanted = asked or own
    return Budget(
        **{pool: _share(own, asked, pool, int(used[pool]), where) for pool in POOLS},
        step_tokens=int(least(wanted.step_tokens, own.step_tokens)),
        depth=int(least(wanted.depth, own.depth)),
        seconds=_time(own, wanted, used["seconds"], where),
    )


def least(one: float, two: float) -> float:
    """The lower of two limits; 0 is none."""
    return one if most(one) <= most(two) else two


def _share(own: Budget, asked: Budget | None, pool: str, used: int, where: str) -> int:
    """What of a pool a child gets; NOTHING where there is nothing to give."""
    limit, wanted = getattr(own, pool), getattr(asked or own, pool)
    if not limit:
        return int(wanted)
    left = int(most(limit)) - used
    if left < 1 and pool in NEEDED:
        raise BudgetSpent(pool, used, limit, where)
    left -= pool == "agents"  # the child is one itself
    if asked is None or wanted == getattr(USUAL, pool):
        left = max(left // 2, min(left, 1)) if pool == "steps" else left // 2
    return int(max(min(most(wanted), left), 0)) or NOTHING


def _time(own: Budget, wanted: Budget, used: float, where: str) -> float:
    """The seconds a child may take: no more than its parent has left."""
    if own.seconds and used >= own.seconds:
        raise BudgetSpent("seconds", used, own.seconds, where)
    return least(wanted.seconds, own.seconds and own.seconds - used)
