"""Agents that work for one another: spawned, bounded, isolated, joined once; a wait ends for every
child, however it ended; odd names, goals and grants; many threads at once."""

from __future__ import annotations

import gc
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
from loom.capabilities.agents.child_budget import BudgetSpent
from loom.capabilities.agents.place import checked_agent_name
from loom.capabilities.agents.result import AgentResult
from loom.capabilities.agents.spawn_order import SpawnOrder, decode_order, encode_order
from loom.errors import BadInput, LoomError, Overdue
from loom_paging import MemoryStore
from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.limits import Budget
from tests.kit.journal import records
from tests.kit.opened import Open
from tests.kit.step import last_step, step


@pytest.fixture(params=["folder", "memory"])
def parent(tmp_path: Path, request: pytest.FixtureRequest) -> Open:
    """Open the parent, on a folder or in a store."""
    store = MemoryStore()

    def opened(**given: Any) -> loom.Context:
        usual: dict[str, Any] = {"goal": "Survey the field.", "window": 16_000, "durable": False}
        place = tmp_path / "w" if request.param == "folder" else store
        return loom.open(place, **{**usual, **given})

    return opened


def test_budgets(parent: Open) -> None:
    """Steps, tokens of a step, files and seconds; what there is can still be delivered."""
    with parent() as ctx:
        with ctx.agents.spawn("Work.", budget=Budget(steps=2, step_tokens=300, files=1)) as child:
            step(child, "many words " * 2_000)
            assert last_step(child).outcomes[0].text.tokens <= 300
            step(child)
            with pytest.raises(BudgetSpent, match="has used 2 of its 2 steps"):
                step(child)
            page = next(iter(child._engine.workspace.pager.table))
            with pytest.raises(BudgetSpent, match="would use 2 of its 1 file "):
                child.agents.deliver("x", artefacts=[page, *_more(child)])
            child.agents.deliver("What there is.")
        with (
            ctx.agents.spawn("Work.", budget=Budget(seconds=0.000_001)) as child,
            pytest.raises(BudgetSpent, match="seconds"),
        ):
            while True:
                child.turn()


def _more(child: loom.Context) -> list[str]:
    """Another page of a child."""
    child.user("another message " * 200)
    *_, page = child._engine.workspace.pager.table
    return [page]


def test_batches(parent: Open) -> None:
    """All, any, and in time; failures keep their names."""
    with parent() as ctx:
        kids = {name: ctx.agents.spawn(f"Part {name}.", name=name) for name in ("a", "b", "c")}
        kids["b"].agents.deliver("The same.")
        assert [one.agent for one in ctx.agents.wait("a", "b", any=True)] == ["b"]
        with pytest.raises(Overdue) as overdue:
            ctx.agents.wait("a", "b", timeout=0.05)
        assert overdue.value.agents == ("a",)
        kids["a"].agents.deliver("The same.")
        kids["c"].agents.deliver("", status="failed", error="no network")
        assert [one.status for one in ctx.agents.wait("a", "c")] == ["done", "failed"]
        said = repr(ctx.turn().request())
        assert said.count("The same.") == 2 and "no network" in said
        for kid in kids.values():
            kid.close()


def test_a_fork_shares_the_prefix(parent: Open) -> None:
    """The same requests, then each its own way; agents in flight stay with the first."""
    with parent() as ctx:
        for number in range(5):
            step(ctx, f"result {number} " * 300)
        ctx.agents.spawn("Work.", name="one").close()
        before = ctx.turn().request()["messages"][:-1]
        with ctx.agents.fork("other") as fork:
            assert fork.turn().request()["messages"][: len(before)] == before
            assert fork.agents.children == {} and ctx.agents.children == {"one": "at work"}
            step(fork, "only here")
            assert "only here" not in repr(ctx.turn().request())
            assert fork.window.config.key == ctx.window.config.key
        with pytest.raises(BadInput, match="no agent can be named"):
            ctx.agents.fork("other")


FORGED = b'{"agent":"../../elsewhere","status":"done","summary":"Well done."}'


def test_a_capsule_of_no_use(tmp_path: Path) -> None:
    """Damaged, in another's name, or edited: it is joined as a failed one of this child."""
    with loom.open(tmp_path / "w", goal="All.", window=16_000, durable=False) as ctx:
        for name, data in (("torn", b'{"agent":"torn","sta'), ("forged", FORGED)):
            ctx.agents.spawn("Work.", name=name, durable=False).close()
            (tmp_path / "w" / "agents" / name / "capsule.json").write_bytes(data)
        with ctx.agents.spawn("Work.", name="edited", durable=False) as child:
            child.agents.deliver("found ONE")
        file = tmp_path / "w" / "agents" / "edited" / "capsule.json"
        file.chmod(0o644)
        file.write_bytes(file.read_bytes().replace(b"found ONE", b"EVIL TWO!"))
        found = ctx.agents.wait("torn", "forged", "edited")
        assert [one.agent for one in found] == ["torn", "forged", "edited"]
        assert {one.status for one in found} == {"failed"} and "EVIL" not in str(found)
        assert "not the one that was delivered" in found[2].error
        assert ctx.agents.children == {}


def lost(root: loom.Context, why: str) -> None:
    """Hold that the wait ends with what became of the child, which stays to be opened."""
    (found,) = root.agents.wait(idle=0)
    assert found.status == "lost" and not found.ok and why in found.error
    assert "ctx.agents.child('one') opens it again" in found.error
    assert set(root.agents.children) == {"one"}


def test_a_result_comes_before_a_loss(root: loom.Context) -> None:
    """With `any` a child that gave one is returned alone; without, each in the order asked."""
    with root.agents.spawn("Work.", name="one"), root.agents.spawn("Work.", name="two") as two:
        two.agents.deliver("Done.")
    assert [found.agent for found in root.agents.wait(any=True, idle=0)] == ["two"]
    assert [found.status for found in root.agents.wait("one", "two", idle=0)] == ["lost", "done"]


def test_time_is_up_first_where_it_is_shorter(root: loom.Context) -> None:
    """A worker may be about to open a child that was closed: nobody is lost at once."""
    with root.agents.spawn("Work.", name="one"):
        pass
    with pytest.raises(loom.errors.Overdue):
        root.agents.wait(timeout=0.1)


def test_in_a_store_without_folders() -> None:
    """A child that this process opened is known to be closed, also when it was never closed but
    forgotten; of one it did not open nothing is known, so it is waited for."""
    store = MemoryStore()
    with loom.open(store, goal="Survey.", window=16_000) as root:
        with root.agents.spawn("Work.", name="one"):
            pass
        gc.collect()
        lost(root, "closed or killed")
    with loom.open(store) as root:
        with pytest.raises(loom.errors.Overdue):
            root.agents.wait(idle=0, timeout=0.1)
        root.agents.give_up("one", "enough")
        assert root.agents.wait(idle=0)[0].error == "enough"


THREADS = 8
SECRET = "ghp_" + "aB3dE6gH9" * 4

Value = TypeVar("Value")


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


def test_joined_by_many_threads(root: loom.Context) -> None:
    """All see the capsule, the journal has it once, and each call has one result."""
    for name in ("one", "two", "three"):
        with root.agents.spawn("Work.", name=name) as child:
            child.agents.deliver(f"Result of {name}. " * 400)
    made = at_once(lambda number: root.agents.join(("one", "two", "three")[number % 3]))
    assert all(isinstance(one, AgentResult) and one.ok for one in made)
    assert joined(root) == {"one": 1, "two": 1, "three": 1}
    assert [*laws.paired(root.window), *laws.counted(root.window)] == []


def test_given_up_and_delivered_by_many_threads(root: loom.Context) -> None:
    """Whoever is first, its capsule stands whole, and everybody sees the same."""
    for round in range(5):
        name = f"r{round}"
        with root.agents.spawn("Work.", name=name) as child:

            def act(number: int, name: str = name, child: loom.Context = child) -> AgentResult:
                if number % 2:
                    return root.agents.give_up(name, f"reason {number} " * 2_000)
                return child.agents.deliver(f"result {number} " * 2_000)

            made = at_once(act)
        found = root.agents.join(name)
        assert "damaged" not in found.error
        assert {one for one in made if isinstance(one, AgentResult)} == {found}
        late = [one for one in made if isinstance(one, BadInput)]
        assert all(f"already, as {found.status}" in str(one) for one in late)
        assert len(late) == THREADS // 2 - found.ok


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_goals_of_every_kind(tmp_path: Path, kind: str) -> None:
    """No secret comes to rest, nothing that UTF-8 cannot hold stops it, and long ones fit."""
    place = MemoryStore() if kind == "memory" else tmp_path / "w"
    with loom.open(place, window=16_000, durable=False) as ctx:
        for goal in ("?", "lone \ud800 half", "of many words " * 75_000, f"with {SECRET} in it"):
            with ctx.agents.spawn(goal) as child:
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
        assert checked_agent_name(name) == name
    except BadInput:
        return
    assert 1 <= len(name) <= 40 and name.isascii() and name == name.lower() == name.strip()
    assert Path("agents", name).parts == ("agents", name) and not set(name) & set("./\\\n\0")


def test_an_order_of_an_earlier_version_is_read() -> None:
    """One that said "turn" opens a child whose commits are durable."""
    made = encode_order(SpawnOrder("Count.", Budget(), 1, opening={"durable": "turn"}))
    assert decode_order(made).opening == {"durable": True}
    assert decode_order(encode_order(SpawnOrder("Count.", Budget(), 1))).opening == {}
