"""Figures of a budget: held to what a budget can say, in code and in a call, and told in words."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from msgspec.structs import asdict, replace

from loom.capabilities.agents.budget import USUAL, least
from loom.engine import Engine
from loom.engine.budget import POOLS, check_time, most, name_of, spent
from loom.errors import BudgetSpent, LoomError, amount
from loom.text import one_line, shown
from loom_partitions.limits import Budget

LARGEST = 2**53 - 1  # every reader of JSON has whole numbers up to here exactly
LITTLE = 5  # a fifth of what there was
NAMES = tuple(asdict(USUAL))
FOR = {"bytes": " to hand over", "agents": " below"}
BOUNDS = {
    "step_tokens": "results of {:,} tokens a step",
    "depth": "no agents deeper than level {:,}",
}

REPORT = "A step is one reply. Your report is a reply without calls: give it before that is spent."
LAST = "this is your last step: report now"


class BadBudget(LoomError):
    """A budget that cannot be held: `figure` is its field, "budget" for something else, `given`
    what stood there."""

    def __init__(self, figure: str, given: str, wanted: str) -> None:
        self.figure = figure
        self.given = given
        self.wanted = wanted
        super().__init__(f"{figure}: {given} is no figure of a budget; give {wanted}")


def checked(budget: Budget | None) -> Budget | None:
    """The budget as it came: 0 leaves a limit out, -1 allows nothing. Raises BadBudget."""
    if budget is None:
        return None
    if not isinstance(budget, Budget):
        raise BadBudget("budget", _shown(budget), "a loom.Budget")
    for name, value in asdict(budget).items():
        _check(name, value, -1, f"; 0 for no limit, -1 for no {name}")
    return budget


def asked(figures: Mapping[str, Any] | None, given: Budget | None) -> Budget | None:
    """The budget a call names, within the one the host has `given` for it. Raises BadBudget."""
    if figures is None:
        return given
    within = given or USUAL
    for name, value in figures.items():
        if name not in NAMES:
            raise BadBudget(one_line(name, 40), _shown(value), f"any of {', '.join(NAMES)}")
        _check(name, value, 1, "")
    named = {
        name: least(value, getattr(within, name)) if given is not None else value
        for name, value in figures.items()
    }
    return replace(within, **named)


def _check(name: str, value: object, lowest: int, more: str) -> None:
    """Raise BadBudget for what is no number, no finite one, or out of bounds."""
    whole = name != "seconds"
    right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if right and lowest <= value <= LARGEST and isfinite(value) and (value >= 0 or value == -1):  # type: ignore
        return
    wanted = "a whole number" if whole else "a number"
    raise BadBudget(name, _shown(value), f"{wanted} from {max(lowest, 0)} to {LARGEST:,}{more}")


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else shown(value, 40)


def left(engine: Engine) -> dict[str, float]:
    """What is left of each pool and of time, of those that are limited."""
    budget = engine.window.config.budget
    if budget is None:
        return {}
    used = spent(engine)
    limited = [name for name in (*POOLS, "seconds") if getattr(budget, name)]
    return {name: max(most(getattr(budget, name)) - used[name], 0) for name in limited}


def said(figures: Mapping[str, float]) -> str:
    """Figures in words: "1 step, 12 agents below"."""
    return ", ".join(
        amount(round(value), name) + FOR.get(name, "") for name, value in figures.items()
    )


def allowance(budget: Budget, depth: int) -> str:
    """What a child at that depth is told of its own budget when it begins."""
    limited = {name: max(getattr(budget, name), 0) for name in (*POOLS, "seconds")}
    shares = said({name: value for name, value in limited.items() if getattr(budget, name)})
    bounds = [
        form.format(max(getattr(budget, name), 0))
        for name, form in BOUNDS.items()
        if getattr(budget, name)
    ]
    told = "; ".join(filter(None, [shares, ", ".join(bounds)]))
    if not told:
        return ""
    at = f" (you are at {depth})" if budget.depth else ""
    return f"Your budget: {told}{at}. {REPORT}"


def running_out(engine: Engine) -> dict[str, str]:
    """What a child is told when little is left: the id of an event → its words."""
    budget = engine.window.config.budget
    if budget is None:
        return {}
    found, now = {}, left(engine)
    if now.get("steps") == 1:
        return {"budget-last-step": LAST}
    for name in ("steps", "seconds") if engine.workspace.index.steps else ():
        limit = getattr(budget, name)
        if limit > 0 and now[name] <= max(limit // LITTLE, 1):
            found[f"budget-{name}"] = (
                f"{said({name: now[name]})} left of {limit:,.15g}: report soon"
            )
    return found


def fork_share(engine: Engine) -> Budget | None:
    """What goes to a fork, so that both have the other half of what is left; None without a
    budget. The copy holds the record of it too, so each has what the record leaves. BudgetSpent.
    """
    budget = engine.window.config.budget
    if budget is None:
        return None
    check_time(engine)
    rest, used, where = left(engine), spent(engine), name_of(engine)
    for name, needed in {"steps": 2, "agents": 1}.items():
        if rest.get(name, needed) < needed:
            used_up, limit = used[name], getattr(budget, name)
            raise BudgetSpent(name, used_up, limit, where, rest[name])
    gave = {name: int(rest[name] + 1) // 2 for name in POOLS if name in rest}
    if "agents" in gave:  # the fork is one itself
        gave["agents"] = int(rest["agents"]) // 2
    return replace(budget, **{**dict.fromkeys(POOLS, 0), **gave})
