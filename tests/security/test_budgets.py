"""Budgets of agents narrow in every dimension, and those of a tree never exceed its first one's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

import loom
from loom.capabilities.agents.child_budget import NOTHING, narrow_budget
from loom.context.budget_checks import POOLS, limit_as_bound
from loom.errors import BudgetSpent
from loom_partitions.limits import Budget
from tests.kit.step import step

BOUNDS = ("step_tokens", "seconds", "depth")
UNBOUND = Budget(steps=0, step_tokens=0, files=0, bytes=0, seconds=0, depth=0, agents=0)
WHOLE = Budget(steps=40, step_tokens=900, files=8, bytes=900, seconds=600, depth=4, agents=9)
LARGE = Budget(
    steps=999, step_tokens=9_999, files=99, bytes=9_999, seconds=9_999, depth=99, agents=99
)


class Unable(loom.Capability):
    """Fails before an agent is born: what was recorded of it stands, as after a kill there."""

    name = "unable"

    def attached(self, context: loom.Context) -> None:
        """Raise LoomError."""
        raise loom.LoomError("unable to open")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[loom.Context]:
    """Yield an agent nobody spawned: it has no budget."""
    with loom.open(tmp_path / "w", goal="Survey.", window=16_000, durable=False) as ctx:
        yield ctx


@pytest.fixture
def one(root: loom.Context) -> Iterator[loom.Context]:
    """Yield the first agent of a tree, with the budget WHOLE."""
    with root.agents.spawn("Work.", name="one", budget=WHOLE) as ctx:
        yield ctx


def budget(ctx: loom.Context) -> Budget:
    """Return what an agent has."""
    found = ctx.window.config.budget
    assert found is not None
    return found


def spawn(ctx: loom.Context, asked: Budget | None = None, **more: Any) -> Budget:
    """Spawn a child and close it; return what it got."""
    with ctx.agents.spawn("Do a part.", budget=asked, **more) as child:
        return budget(child)


def test_below_no_limit_there_is_none(root: loom.Context) -> None:
    """A child that has no limits gives what is asked, and no limits when nothing is."""
    with root.agents.spawn("Work.", budget=UNBOUND) as ctx:
        assert spawn(ctx, LARGE) == LARGE and spawn(ctx) == UNBOUND


@pytest.mark.parametrize("kept", ["files", "bytes"])
def test_what_was_given_away_can_neither_be_used_nor_given_again(
    one: loom.Context, kept: str
) -> None:
    """A child of one with nothing left may hand over nothing; its parent neither."""
    everything = replace(Budget(steps=1, files=1, bytes=1, agents=1), **{kept: 0})
    assert getattr(spawn(one, everything), kept) == getattr(WHOLE, kept)
    with one.agents.spawn("Do a part.", budget=replace(UNBOUND, steps=3)) as child:
        assert getattr(budget(child), kept) == NOTHING
        for ctx in (child, one):
            step(ctx, "many words " * 200, tool="look")
            last = ctx.window.history.stream.last
            page = last.outcomes[0].reduction.outcome_ref
            with pytest.raises(BudgetSpent, match=r"has used|would use") as raised:
                ctx.agents.deliver("x", artefacts=[page])
            assert raised.value.what in ("files", "bytes") and raised.value.left == 0
        child.agents.deliver("What there is.")


def test_no_longer_than_its_parent(one: loom.Context) -> None:
    """Time is that which the parent has left, when the child is spawned and when it begins."""
    engine = one._engine
    engine.workspace.folded.began -= 400_000
    with pytest.raises(loom.LoomError):  # a kill before it was opened leaves the same
        one.agents.spawn("Wait.", name="late", capabilities=[Unable()])
    assert 100 < engine.workspace.index.spawned["late"].budget.seconds <= 200
    engine.workspace.folded.began -= 150_000
    with one.agents.child("late") as child:
        assert 0 < budget(child).seconds <= 50
    engine.workspace.folded.began -= 150_000
    for more in (lambda: spawn(one), one.turn):
        with pytest.raises(BudgetSpent, match=r"one has used .* of its 600 seconds"):
            more()


def test_a_call_made_again_is_charged_once(one: loom.Context) -> None:
    """The child of a spawn that failed after its record is opened by the next; it has one share."""
    with pytest.raises(loom.LoomError):
        one.agents.spawn("Work.", budget=Budget(steps=6), capabilities=[Unable()])
    with one.agents.spawn("Work.", budget=Budget(steps=6)) as child:
        assert budget(child).steps == 6
    assert spawn(one, LARGE).steps == 34


FIGURES = st.builds(
    Budget,
    **{
        name: st.one_of(st.sampled_from([0, NOTHING, value]), st.integers(1, 60))
        for name, value in asdict(Budget()).items()
    },
)
ASKED = st.one_of(st.none(), FIGURES)
# Which agent of those there are spawns, what it asks for, and the steps it takes before.
Spawns = list[tuple[int, Budget | None, int]]
SPAWNS = st.lists(st.tuples(st.integers(0, 99), ASKED, st.integers(0, 3)), max_size=25)


def grown(own: Budget, spawns: Spawns) -> tuple[list[Budget], list[dict[str, float]]]:
    """Grow a tree by the rule: the budgets of its agents, and what each has used or given."""
    agents, used = [own], [dict.fromkeys((*POOLS, "seconds"), 0.0)]
    for who, asked, steps in spawns:
        at = who % len(agents)
        taken = min(steps, limit_as_bound(agents[at].steps) - used[at]["steps"])
        used[at]["steps"] += max(taken, 0)
        try:
            child = narrow_budget(agents[at], asked, used[at])
        except BudgetSpent:
            continue
        for pool in POOLS:
            used[at][pool] += max(getattr(child, pool), 0) + (pool == "agents")
        agents.append(child)
        used.append(dict.fromkeys((*POOLS, "seconds"), 0.0))
        for what in BOUNDS:
            assert limit_as_bound(getattr(child, what)) <= limit_as_bound(getattr(agents[at], what))
    return agents, used


@given(own=FIGURES, spawns=SPAWNS)
def test_a_tree_never_has_more_than_its_first_agent(own: Budget, spawns: Spawns) -> None:
    """Whatever is asked anywhere: what all agents used and could still use is within the first's,
    and there are no more of them than it may have below it."""
    agents, used = grown(own, spawns)
    assert len(agents) - 1 <= limit_as_bound(own.agents)
    for pool in POOLS:
        if getattr(own, pool):
            gave = [one[pool] for one in used]
            kept = [
                max(limit_as_bound(getattr(one, pool)) - g, 0)
                for one, g in zip(agents, gave, strict=True)
            ]
            shares = sum(max(getattr(one, pool), 0) + (pool == "agents") for one in agents[1:])
            assert sum(kept) + sum(gave) - shares <= limit_as_bound(getattr(own, pool))
