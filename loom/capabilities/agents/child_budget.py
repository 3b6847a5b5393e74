"""The budget that an agent may give to a child, what it may hand over, how deep agents may stand,
and the words for it.

A child never gets more than its parent has left. Some figures of a budget are pools (POOLS in
`loom.context.budget_checks`: steps, files, bytes, agents): what a child gets of a pool is taken
from what its parent has left. So the shares of a whole tree never exceed what its first agent had,
and a chain or a bomb of spawns ends. Of a pool that is not named for the child, it gets at most
half of what is left: a parent that names one limit does not give away all of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict, replace

from loom.capabilities.agents.result import Artefact
from loom.context.budget_checks import (
    POOLS,
    check_time_budget,
    elapsed_seconds,
    limit_as_bound,
    pools_given_to_children,
    spent_budget,
)
from loom.errors import BadInput, BudgetSpent, LoomError, amount
from loom.session import Engine
from loom.text import fit_repr, one_line
from loom_partitions.limits import Budget

NOTHING = -1  # of a pool: 0 leaves a limit out
NEEDED = ("steps", "agents")  # a child with none of these could do nothing
USUAL = Budget()
LARGEST = 2**53 - 1  # every reader of JSON has whole numbers up to here exactly
FOR = {"bytes": " to hand over", "agents": " below"}
BOUNDS = {
    "step_tokens": "results of {:,} tokens a step",
    "depth": "no agents deeper than level {:,}",
}

REPORT = "A step is one reply. Your report is a reply without calls: give it before that is spent."
LAST = "this is your last step: report now"


def check_artefacts(engine: Engine, artefacts: Sequence[Artefact]) -> None:
    """Raise BudgetSpent when this agent's budget does not allow so many artefacts or bytes."""
    budget = engine.window.config.budget or Budget(files=0, bytes=0)
    given = pools_given_to_children(engine.workspace.index.spawned.values())
    wanted = {"files": len(artefacts), "bytes": sum(one.size for one in artefacts)}
    for what, used in wanted.items():
        limit = getattr(budget, what)
        left = max(limit_as_bound(limit) - given[what], 0)
        if used > left:
            raise BudgetSpent(what, used + given[what], limit, engine.name, left)


def budget_of_child(engine: Engine, asked: Budget | None) -> Budget:
    """Return the budget of a new child: `asked`, or for None this agent's own, limited to what this
    agent has left. Raises LoomError when the child would be nested too deep, BudgetSpent when no
    steps or agents are left."""
    own, where = engine.window.config.budget, engine.name
    wanted = asked or own or USUAL
    depth, limit = (
        engine.window.working.depth + 1,
        lower_limit(wanted.depth, own.depth if own else 0),
    )
    if depth > limit_as_bound(limit):
        at = f" of {where}" if where else ""
        raise LoomError(
            f"an agent at depth {depth} would stand below the deepest allowed{at}, {int(limit)},"
            " with 0 levels left: do the work here, or have a parent spawn it"
        )
    return (
        narrow_budget(own, asked, spent_budget(engine.workspace), where)
        if own is not None
        else wanted
    )


def limit_to_own_time(engine: Engine, budget: Budget) -> Budget:
    """Return `budget` with `seconds` at most the seconds that this agent has left. Raises
    BudgetSpent when this agent's time is over."""
    own = engine.window.config.budget
    if own is None:
        return budget
    return replace(
        budget, seconds=_child_seconds(own, budget, elapsed_seconds(engine.workspace), engine.name)
    )


def narrow_budget(
    own: Budget, asked: Budget | None, used: Mapping[str, float], where: str = ""
) -> Budget:
    """Return the budget `asked`, or for None a default share, limited to what is left of the budget
    `own`. `used` gives, by field name, how much of `own` is spent; `where` names the agent in
    errors. Raises BudgetSpent when too little is left."""
    wanted = asked or own
    return Budget(
        **{pool: _pool_share(own, asked, pool, int(used[pool]), where) for pool in POOLS},
        step_tokens=int(lower_limit(wanted.step_tokens, own.step_tokens)),
        depth=int(lower_limit(wanted.depth, own.depth)),
        seconds=_child_seconds(own, wanted, used["seconds"], where),
    )


def lower_limit(first: float, second: float) -> float:
    """Return the lower of two limits. 0 counts as unlimited: 0 and 5 give 5."""
    return min(first, second, key=limit_as_bound)


def _pool_share(own: Budget, asked: Budget | None, pool: str, used: int, where: str) -> int:
    """Return how much a child gets of the budget field `pool`, such as "steps". NOTHING (-1) means
    none, 0 means no limit."""
    limit, wanted = getattr(own, pool), getattr(asked or own, pool)
    if not limit:
        return int(wanted)
    left = int(limit_as_bound(limit)) - used
    if left < 1 and pool in NEEDED:
        raise BudgetSpent(pool, used, limit, where)
    left -= pool == "agents"  # the child is one itself
    if asked is None or wanted == getattr(USUAL, pool):
        left = max(left // 2, min(left, 1)) if pool == "steps" else left // 2
    return int(max(min(limit_as_bound(wanted), left), 0)) or NOTHING


def _child_seconds(own: Budget, wanted: Budget, used: float, where: str) -> float:
    """Return the seconds that a child may take, at most what its parent has left; 0 means no limit.
    Raises BudgetSpent when the parent has no seconds left."""
    if own.seconds and used >= own.seconds:
        raise BudgetSpent("seconds", used, own.seconds, where)
    return lower_limit(wanted.seconds, own.seconds and own.seconds - used)


def bad_budget(figure: str, given: object, wanted: str) -> BadInput:
    """Return the error for the unusable value `given` in the budget field `figure`. `wanted` says
    which value would be right."""
    said = f"{given:.3g}" if isinstance(given, float) else fit_repr(given, 40)
    return BadInput(f"{figure}: {said} is no figure of a budget; give {wanted}")


def check_budget(budget: Budget | None) -> Budget | None:
    """Return the budget unchanged. Raises BadInput when a field is no number or is below -1. In a
    budget, 0 means no limit and -1 allows nothing."""
    if budget is None:
        return None
    if not isinstance(budget, Budget):
        raise bad_budget("budget", budget, "a loom.Budget")
    for name, value in asdict(budget).items():
        _check_figure(name, value, -1, f"; 0 for no limit, -1 for no {name}")
    return budget


def requested_budget(figures: Mapping[str, Any] | None, given: Budget | None) -> Budget | None:
    """Return the host's budget `given` with the values that the model's call names in `figures`,
    limited to the host's. If `figures` is None, return `given` itself. Raises BadInput for an
    unknown field or a bad number."""
    if figures is None:
        return given
    names, named = tuple(asdict(USUAL)), dict(figures)
    for name, value in figures.items():
        if name not in names:
            raise bad_budget(one_line(name, 40), value, f"any of {', '.join(names)}")
        _check_figure(name, value, 1, "")
        named[name] = lower_limit(value, getattr(given, name)) if given else value
    return replace(given or USUAL, **named)


def _check_figure(name: str, value: Any, lowest: int, more: str) -> None:
    """Raise BadInput when the budget field `name` has a value that is no number, below `lowest`, or
    too large. `more` is appended to the message."""
    whole = name != "seconds"
    right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not (right and lowest <= value <= LARGEST and (value >= 0 or value == -1)):
        wanted = "a whole number" if whole else "a number"
        raise bad_budget(name, value, f"{wanted} from {max(lowest, 0)} to {LARGEST:,}{more}")


def remaining_figures(engine: Engine) -> dict[str, float]:
    """Return what is left of this agent's budget, such as {"steps": 3, "seconds": 60.0}. Fields
    without a limit are left out."""
    budget = engine.window.config.budget
    if budget is None:
        return {}
    used = spent_budget(engine.workspace)
    limited = [name for name in (*POOLS, "seconds") if getattr(budget, name)]
    return {name: max(limit_as_bound(getattr(budget, name)) - used[name], 0) for name in limited}


def figures_text(figures: Mapping[str, float]) -> str:
    """Return budget numbers in words: `{"steps": 1, "agents": 12}` → "1 step, 12 agents below"."""
    return ", ".join(
        amount(round(value), name) + FOR.get(name, "") for name, value in figures.items()
    )


def allowance_text(budget: Budget, depth: int) -> str:
    """Return the sentence that tells a child its budget. `depth` is the number of agents above the
    child. "" for a budget without limits."""
    limited = {name: max(value, 0) for name, value in asdict(budget).items() if value}
    shares = figures_text({name: limited[name] for name in (*POOLS, "seconds") if name in limited})
    bounds = [form.format(limited[name]) for name, form in BOUNDS.items() if name in limited]
    if not limited:
        return ""
    at = f" (you are at {depth})" if budget.depth else ""
    told = "; ".join(filter(None, [shares, ", ".join(bounds)]))
    return f"Your budget: {told}{at}. {REPORT}"


def is_last_step(engine: Engine) -> bool:
    """Return True when this agent's budget has exactly one step left, to be used for its report."""
    return remaining_figures(engine).get("steps") == 1


def fork_share(engine: Engine) -> Budget | None:
    """Return the budget of a fork: half of what this agent has left; None when this agent has no
    budget. The share must be recorded before the journal is copied, so that both copies count the
    share as spent. Raises BudgetSpent when too little is left to halve."""
    budget = engine.window.config.budget
    if budget is None:
        return None
    check_time_budget(engine.workspace, engine.name)
    rest, used, where = remaining_figures(engine), spent_budget(engine.workspace), engine.name
    for name, needed in {"steps": 2, "agents": 1}.items():
        if rest.get(name, needed) < needed:
            raise BudgetSpent(name, used[name], getattr(budget, name), where, rest[name])
    gave = {name: int(rest[name] + 1) // 2 for name in POOLS if name in rest}
    if "agents" in gave:  # the fork is one itself
        gave["agents"] = int(rest["agents"]) // 2
    return replace(budget, **{**dict.fromkeys(POOLS, 0), **gave})
