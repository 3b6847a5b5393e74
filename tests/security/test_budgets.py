"""Budgets of agents narrow in every dimension, and those of a tree never exceed its first one's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

import loom
from loom.capabilities.agents.budget import NOTHING, TooDeep, narrowed
from loom.engine.budget import POOLS, most
from loom.errors import BudgetSpent
from loom_partitions.children import Spawned
from loom_partitions.limits import Budget
from loom_partitions.message import Step
from tests.kit.unable import Unable

BOUNDS = ("step_tokens", "seconds", "depth")
UNBOUND = Budget(steps=0, step_tokens=0, files=0, bytes=0, seconds=0, depth=0, agents=0)
WHOLE = Budget(steps=40, step_tokens=900, files=8, bytes=900, seconds=600, depth=4, agents=9)
LARGE = Budget(
    steps=999, step_tokens=9_999, files=99, bytes=9_999, seconds=9_999, depth=99, agents=99
)


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


def step(ctx: loom.Context, said: str = "seen") -> None:
    """Take a step."""
    id = f"c{ctx.window.history.next_id}"
    ctx.reply(loom.Reply((loom.ToolCall(id, "look", "{}"),)))
    ctx.result(id, said)


def test_without_a_budget_nothing_is_bounded(root: loom.Context) -> None:
    """The first agent has none and takes as many steps as it likes; its children get what was
    named, or the usual figures, however many they are."""
    for _ in range(25):
        step(root)
    assert [spawn(root) for _ in range(3)] == [Budget()] * 3
    assert spawn(root, LARGE) == LARGE and spawn(root, UNBOUND) == UNBOUND


def test_below_no_limit_there_is_none(root: loom.Context) -> None:
    """A child that has no limits gives what is asked, and no limits when nothing is."""
    with root.agents.spawn("Work.", budget=UNBOUND) as ctx:
        assert spawn(ctx, LARGE) == LARGE and spawn(ctx) == UNBOUND


@pytest.mark.parametrize("asked", [LARGE, UNBOUND], ids=["more", "no limit"])
def test_a_child_that_asks_for_more_gets_what_is_left(one: loom.Context, asked: Budget) -> None:
    """In every dimension: what its parent has, less what it used and gave away."""
    step(one)
    spawn(one, Budget(steps=9, files=2, bytes=100, agents=3))
    got = spawn(one, asked)
    assert {what: getattr(got, what) for what in POOLS} == {
        "steps": 40 - 1 - 9,
        "files": 8 - 2,
        "bytes": 900 - 100,
        "agents": 9 - 4 - 1,
    }
    assert (got.step_tokens, got.depth) == (900, 4) and 0 < got.seconds < 600


def test_a_figure_left_as_it_is_takes_half_at_most(one: loom.Context) -> None:
    """Naming one limit, or none, gives not all of the others away."""
    got = spawn(one, Budget(steps=5))
    assert (got.steps, got.files, got.bytes, got.agents) == (5, 4, 450, 4)
    got = spawn(one)
    assert (got.steps, got.files, got.bytes, got.agents) == (17, 2, 225, 1)


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
            step(ctx, "many words " * 200)
            last = ctx.window.history.stream.last
            assert isinstance(last, Step)
            page = last.outcomes[0].reduction.outcome_ref
            with pytest.raises(BudgetSpent, match=r"has used|would use") as raised:
                ctx.agents.deliver("x", artefacts=[page])
            assert raised.value.what in ("files", "bytes") and raised.value.left == 0
        child.agents.deliver("What there is.")


def test_steps_given_away_are_spent(one: loom.Context) -> None:
    """The error names what, whose, how much of what limit, and that nothing is left."""
    spawn(one, Budget(steps=38))
    step(one)
    step(one)
    for more in (lambda: step(one), lambda: spawn(one)):
        with pytest.raises(BudgetSpent, match="one has used 40 of its 40 steps") as e:
            more()
        assert (e.value.what, e.value.where, e.value.left) == ("steps", "one", 0)
    assert set(one.agents.children) == {"agent-1"}


def test_a_bomb_of_spawns_ends(one: loom.Context) -> None:
    """Side by side or one below the other: no more agents than the tree may have, ever."""
    for number in range(WHOLE.agents):
        name = f"wide-{number}"
        spawn(one, Budget(steps=1, agents=-1), name=name)
        one.agents.give_up(name, "enough")
        one.agents.join(name)
    with pytest.raises(BudgetSpent, match="one has used 9 of its 9 agents"):
        spawn(one)
    assert len(one._engine.workspace.index.spawned) == WHOLE.agents


def test_a_bomb_with_the_usual_figures_ends(root: loom.Context) -> None:
    """A child that spawns as much as it can, its children too, makes 20 agents and no more."""
    made, open_agents = 0, ExitStack()
    with open_agents:
        waiting = [open_agents.enter_context(root.agents.spawn("Go forth and multiply."))]
        while waiting:
            ctx = waiting.pop()
            try:
                while True:
                    child = open_agents.enter_context(ctx.agents.spawn("Go on."))
                    made += 1
                    waiting.append(child)
            except (BudgetSpent, TooDeep):
                continue
    assert 5 <= made <= Budget().agents


def test_no_deeper_than_the_first_may(one: loom.Context) -> None:
    """A chain ends where the budget of the first says, whatever is asked below; the error says
    where."""
    with ExitStack() as opened:
        ctx = one
        for _ in range(WHOLE.depth - 1):
            ctx = opened.enter_context(ctx.agents.spawn("Go on.", budget=LARGE))
        with pytest.raises(TooDeep, match="allowed of agent-1, 4, with 0 levels left") as e:
            ctx.agents.spawn("Go on.", budget=UNBOUND)
        assert (e.value.depth, e.value.limit, e.value.where) == (5, 4, "agent-1")


def test_no_longer_than_its_parent(one: loom.Context) -> None:
    """Time is that which the parent has left, when the child is spawned and when it begins."""
    engine = one._engine
    engine.workspace.folded.began -= 400_000
    with pytest.raises(loom.LoomError):  # a kill before it was opened leaves the same
        one.agents.spawn("Wait.", name="late", capabilities=[Unable()])
    assert 100 < engine.workspace.index.spawned["late"].budget.seconds <= 200  # type: ignore[union-attr]
    engine.workspace.folded.began -= 150_000
    with one.agents.child("late") as child:
        assert 0 < budget(child).seconds <= 50
    engine.workspace.folded.began -= 150_000
    for more in (lambda: spawn(one), one.turn):
        with pytest.raises(BudgetSpent, match=r"one has used .* of its 600 seconds"):
            more()


def test_the_account_outlives_a_reopen(root: loom.Context) -> None:
    """What was given away is in the journal of who gave it."""
    with root.agents.spawn("Work.", name="one", budget=WHOLE) as ctx:
        first = spawn(ctx, Budget(steps=30, agents=6))
    assert (first.steps, first.agents) == (30, 6)
    with root.agents.child("one") as ctx:
        assert spawn(ctx, LARGE).steps == 10
    with root.agents.child("one") as ctx, pytest.raises(BudgetSpent, match="40 steps"):
        step(ctx)


DIES = """
import os, sys, loom
class Unable(loom.Capability):
    name = "unable"
    def attached(self, context):
        raise loom.LoomError("unable to open")
root = loom.open(sys.argv[1], goal="Survey.", window=16_000)
one = root.agents.spawn("Work.", name="one", budget=loom.Budget(steps=10, agents=4))
try:
    one.agents.spawn("Do a part.", budget=loom.Budget(steps=6), capabilities=[Unable()])
except loom.LoomError:
    os._exit(7)
"""


def test_the_account_outlives_a_kill(tmp_path: Path) -> None:
    """A child that was recorded and never opened has its share, in another process too."""
    done = subprocess.run([sys.executable, "-c", DIES, str(tmp_path / "w")], timeout=240)
    assert done.returncode == 7
    with loom.open(tmp_path / "w", durable=False) as root, root.agents.child("one") as ctx:
        assert ctx.agents.children == {"agent-1": "unborn"}
        assert spawn(ctx, LARGE).steps == 4
        with ctx.agents.child("agent-1") as child:
            assert budget(child).steps == 6


def test_a_call_made_again_is_charged_once(one: loom.Context) -> None:
    """The child of a spawn that failed after its record is opened by the next; it has one share."""
    with pytest.raises(loom.LoomError):
        one.agents.spawn("Work.", budget=Budget(steps=6), capabilities=[Unable()])
    with one.agents.spawn("Work.", budget=Budget(steps=6)) as child:
        assert budget(child).steps == 6
    assert spawn(one, LARGE).steps == 34


def test_a_journal_of_before_shares_were_recorded(one: loom.Context) -> None:
    """Its children count as agents; nothing else of them is known."""
    engine = one._engine
    with engine.lock, engine.atomic:
        engine.commit(Spawned("old", "Work.", "outputs/spawn_0001.json"))
    got = spawn(one, LARGE)
    assert (got.steps, got.agents) == (40, 7)


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
        taken = min(steps, most(agents[at].steps) - used[at]["steps"])
        used[at]["steps"] += max(taken, 0)
        try:
            child = narrowed(agents[at], asked, used[at])
        except BudgetSpent:
            continue
        for pool in POOLS:
            used[at][pool] += max(getattr(child, pool), 0) + (pool == "agents")
        agents.append(child)
        used.append(dict.fromkeys((*POOLS, "seconds"), 0.0))
        for what in BOUNDS:
            assert most(getattr(child, what)) <= most(getattr(agents[at], what))
    return agents, used


@given(own=FIGURES, spawns=SPAWNS)
def test_a_tree_never_has_more_than_its_first_agent(own: Budget, spawns: Spawns) -> None:
    """Whatever is asked anywhere: what all agents used and could still use is within the first's,
    and there are no more of them than it may have below it."""
    agents, used = grown(own, spawns)
    assert len(agents) - 1 <= most(own.agents)
    for pool in POOLS:
        if getattr(own, pool):
            gave = [one[pool] for one in used]
            kept = [
                max(most(getattr(one, pool)) - g, 0) for one, g in zip(agents, gave, strict=True)
            ]
            shares = sum(max(getattr(one, pool), 0) + (pool == "agents") for one in agents[1:])
            assert sum(kept) + sum(gave) - shares <= most(getattr(own, pool))


@settings(max_examples=5, deadline=None)
@given(own=FIGURES, spawns=SPAWNS.map(lambda made: made[:6]))
def test_agents_on_disk_follow_the_rule(
    tmp_path_factory: pytest.TempPathFactory, own: Budget, spawns: Spawns
) -> None:
    """The same tree, spawned for real and opened again each time, has the same shares."""
    own = replace(own, seconds=0, depth=0)
    spawns = [(who, asked and replace(asked, seconds=0, depth=0), 0) for who, asked, _ in spawns]
    agents, _ = grown(own, spawns)
    with (
        ExitStack() as opened,
        loom.open(tmp_path_factory.mktemp("tree") / "w", window=16_000, durable=False) as root,
    ):
        made = [opened.enter_context(root.agents.spawn("Work.", budget=own))]
        for who, asked, _ in spawns:
            try:
                made.append(
                    opened.enter_context(made[who % len(made)].agents.spawn("On.", budget=asked))
                )
            except BudgetSpent:
                continue
        assert [budget(ctx) for ctx in made] == agents
