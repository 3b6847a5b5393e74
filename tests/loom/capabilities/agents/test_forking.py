"""A fork and its origin share what was left of a budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.capabilities.agents.budget import left
from loom_partitions.limits import Budget

OWN = Budget(steps=11, files=5, bytes=900, seconds=600, agents=6)


@pytest.fixture
def root(tmp_path: Path) -> Iterator[loom.Context]:
    """Yield an agent nobody spawned."""
    with loom.open(tmp_path / "w", goal="Survey.", window=16_000, durable=False) as ctx:
        yield ctx


@pytest.fixture
def one(root: loom.Context) -> Iterator[loom.Context]:
    """Yield an agent with the budget OWN."""
    with root.agents.spawn("Work.", name="one", budget=OWN) as ctx:
        yield ctx


def pools(ctx: loom.Context) -> dict[str, float]:
    """Return what is left of its pools."""
    return {name: value for name, value in left(ctx._engine).items() if name != "seconds"}


def test_a_child_of_a_fork_has_its_share_of_that(one: loom.Context) -> None:
    """And no more, whatever it asks; a fork of a fork too."""
    with one.agents.fork("copy") as copy, copy.agents.fork("again") as again:
        assert pools(again) == {"steps": 2, "files": 1, "bytes": 225, "agents": 0}
        with pytest.raises(loom.BudgetSpent, match="agents"):
            again.agents.spawn("Work.")
        with one.agents.spawn("Work.", budget=Budget(steps=99, agents=99)) as child:
            assert pools(child)["steps"] == 5 and pools(child)["agents"] == 1


@pytest.mark.parametrize("budget", [Budget(steps=1), Budget(agents=-1)], ids=["steps", "agents"])
def test_nothing_to_share(root: loom.Context, budget: Budget) -> None:
    """A fork that could do nothing is refused, and nothing is recorded."""
    with root.agents.spawn("Work.", budget=budget) as ctx:
        commits = ctx._engine.workspace.commits
        with pytest.raises(loom.BudgetSpent):
            ctx.agents.fork("copy")
        assert ctx._engine.workspace.commits == commits


def test_a_fork_made_again_costs_its_half_once(one: loom.Context, tmp_path: Path) -> None:
    """A copy that failed left the record, which the next one uses."""
    blocked = tmp_path / "w/agents/one/forks"
    blocked.write_text("a file where a folder belongs")
    with pytest.raises(OSError):
        one.agents.fork("copy")
    after = pools(one)
    assert after["steps"] == 5
    blocked.unlink()
    with one.agents.fork("copy") as copy:
        assert pools(one) == pools(copy) == after
    with pytest.raises(loom.BadName):
        one.agents.fork("copy")
    assert pools(one) == after


def test_the_share_outlives_a_reopen(root: loom.Context, tmp_path: Path) -> None:
    """Of both."""
    with root.agents.spawn("Work.", name="one", budget=OWN) as ctx:
        ctx.agents.fork("copy").close()
    with root.agents.child("one") as ctx, loom.open(tmp_path / "w/agents/one/forks/copy") as copy:
        assert pools(ctx)["steps"] == pools(copy)["steps"] == 5
