"""Odd names, goals, grants and budgets; many threads at once; a parent that goes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.capabilities.agents.place import checked
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.agents.spawn_order import SpawnOrder, document, read
from loom.errors import BadInput, LoomError
from loom_paging import MemoryStore
from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.limits import Budget
from tests.kit.journal import records

THREADS = 8
SECRET = "ghp_" + "aB3dE6gH9" * 4
LEFT_OUT = Budget(steps=0, step_tokens=0, files=0, bytes=0, seconds=0, depth=0, agents=0)

Value = TypeVar("Value")


@pytest.fixture
def ctx(tmp_path: Path) -> Any:
    """A parent on a folder."""
    with loom.open(tmp_path / "w", goal="Survey.", window=16_000, durable=False) as opened:
        yield opened


def at_once(act: Callable[[int], Value]) -> list[Value | LoomError]:
    """What came of an act on THREADS threads that begin together; an error of ours is a value."""
    gate = Barrier(THREADS)

    def run(number: int) -> Value | LoomError:
        gate.wait()
        try:
            return act(number)
        except LoomError as error:
            return error

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def joined(ctx: loom.Context) -> Counter[str]:
    """How often each child stands as joined in the journal."""
    return Counter(one.child for one in records(ctx) if isinstance(one, r.HandedOver) and one.child)


def spawn(ctx: loom.Context, goal: str = "Work.", **more: Any) -> loom.Context:
    """A child that need not outlast a power cut."""
    child = ctx.agents.spawn(goal, durable=False, **more)
    assert isinstance(child, loom.Context)
    return child


# --- at once ---


def test_joined_by_many_threads(ctx: loom.Context) -> None:
    """All see the capsule, the journal has it once, and each call has one result."""
    for name in ("one", "two", "three"):
        with spawn(ctx, name=name) as child:
            child.agents.deliver(f"Result of {name}. " * 400)
    made = at_once(lambda number: ctx.agents.join(("one", "two", "three")[number % 3]))
    assert all(isinstance(one, AgentResult) and one.ok for one in made)
    assert joined(ctx) == {"one": 1, "two": 1, "three": 1}
    assert [*laws.paired(ctx.window), *laws.counted(ctx.window)] == []


def test_given_up_and_delivered_by_many_threads(ctx: loom.Context) -> None:
    """Whoever is first, its capsule stands whole, and everybody sees the same."""
    for round in range(5):
        name = f"r{round}"
        with spawn(ctx, name=name) as child:

            def act(number: int, name: str = name, child: loom.Context = child) -> AgentResult:
                if number % 2:
                    return ctx.agents.give_up(name, f"reason {number} " * 2_000)
                return child.agents.deliver(f"result {number} " * 2_000)

            made = at_once(act)
        found = ctx.agents.join(name)
        assert "damaged" not in found.error
        assert {one for one in made if isinstance(one, AgentResult)} == {found}
        late = [one for one in made if isinstance(one, BadInput)]
        assert all(f"already, as {found.status}" in str(one) for one in late)
        assert len(late) == THREADS // 2 - found.ok


def test_nobody_gives_more_depth_than_it_has(ctx: loom.Context) -> None:
    """A budget of more, or of none, below an agent with a limit is one with that limit."""
    for more in (Budget(depth=9), LEFT_OUT, None):
        with spawn(ctx, budget=Budget(depth=2)) as one, spawn(one, budget=more) as two:
            assert two.window.config.budget is not None and two.window.config.budget.depth == 2
            for wanted in (Budget(depth=9), LEFT_OUT):
                with pytest.raises(LoomError, match="deepest allowed"):
                    spawn(two, budget=wanted)


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_goals_of_every_kind(tmp_path: Path, kind: str) -> None:
    """No secret comes to rest, nothing that UTF-8 cannot hold stops it, and long ones fit."""
    place = MemoryStore() if kind == "memory" else tmp_path / "w"
    with loom.open(place, window=16_000, durable=False) as ctx:
        for goal in ("?", "lone \ud800 half", "of many words " * 75_000, f"with {SECRET} in it"):
            with spawn(ctx, goal) as child:
                assert SECRET not in repr(child.turn().request())
            assert ctx.turn().pressure.rho <= 1.0
        with ctx.agents.child("agent-2") as child:
            assert "lone" in repr(child.turn().request())
        ctx.agents.give_up("agent-1", f"it asked for {SECRET} and \udfff")
        assert SECRET not in ctx.agents.join("agent-1").error
    for path in (tmp_path / "w").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


@settings(max_examples=200)
@given(st.one_of(st.text(max_size=60), st.text("abz09_-./\\\0\n", max_size=45)))
def test_a_name_is_one_folder(name: str) -> None:
    """Whatever is taken as a name is a single part of a path, on every system."""
    try:
        assert checked(name) == name
    except BadInput:
        return
    assert 1 <= len(name) <= 40 and name.isascii() and name == name.lower() == name.strip()
    assert Path("agents", name).parts == ("agents", name) and not set(name) & set("./\\\n\0")


def test_an_order_of_an_earlier_version_is_read() -> None:
    """One that said "turn" opens a child whose commits are durable."""
    made = document(SpawnOrder("Count.", Budget(), 1, opening={"durable": "turn"}))
    assert read(made).opening == {"durable": True}
    assert read(document(SpawnOrder("Count.", Budget(), 1))).opening == {}
