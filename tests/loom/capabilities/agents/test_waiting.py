"""A wait ends for every child, however it ended."""

from __future__ import annotations

import gc

import pytest

import loom
from loom_paging import MemoryStore
from tests.kit.unable import Unable


def lost(root: loom.Context, why: str) -> None:
    """Hold that the wait ends with what became of the child, which stays to be opened."""
    (found,) = root.agents.wait(idle=0)
    assert found.status == "lost" and not found.ok and why in found.error
    assert "ctx.agents.child('one') opens it again" in found.error
    assert set(root.agents.children) == {"one"}


def test_a_child_that_was_never_run(root: loom.Context) -> None:
    """It was recorded and not opened."""
    with pytest.raises(loom.LoomError):
        root.agents.spawn("Work.", name="one", capabilities=[Unable()])
    lost(root, "never run")


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
    with pytest.raises(loom.Overdue):
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
        with pytest.raises(loom.Overdue):
            root.agents.wait(idle=0, timeout=0.1)
        root.agents.give_up("one", "enough")
        assert root.agents.wait(idle=0)[0].error == "enough"
