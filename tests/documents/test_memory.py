"""The three tiers of memory of the second document."""

from pathlib import Path

import pytest

import loom
from tests.kit.opened import Open
from tests.kit.requests import SMALL
from tests.kit.standins import Letters
from tests.kit.step import step


@pytest.fixture(params=["sqlite", "rocksdb"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine of long-term memory; RocksDB where its package is installed."""
    if request.param == "rocksdb":
        pytest.importorskip("rocksdict")
    return str(request.param)


def test_working_is_cleared(opened: Open) -> None:
    """When the task is finished C_working is empty; a snapshot keeps what stood there."""
    ctx = opened("here", goal="Find out.")
    ctx.working.plan(["look", "tell"])
    ctx.working.scratch("half way")
    ctx.finish("told")
    assert ctx.done
    assert not ctx.window.working.plan and ctx.window.working.scratchpad is None


def test_working_survives(opened: Open) -> None:
    """Opened again, even working memory is as it was: the journal has it."""
    ctx = opened("here", goal="Find out.")
    ctx.working.plan(["look", "tell"])
    before = ctx.window.working
    ctx.close()
    assert opened("here").window.working == before


def test_short_term_survives(opened: Open) -> None:
    """Pages and steps survive a change of task and restarts: they have no hour."""
    ctx = opened("here", goal="First.")
    step(ctx, "x" * 3_000)
    ctx.working.set_goal("Second.")
    ctx.close()
    for _ in range(2):
        again = opened("here")
        assert again.page_in("outputs/shell_0001.log").text == "x" * 3_000
        assert again.history.restore("step_0001").results["c1"] == "x" * 3_000
        again.close()


def test_long_term(opened: Open, tmp_path: Path, engine: str) -> None:
    """What one session saves, another one finds: `ctx.memory.save`, `ctx.memory.query`."""
    folder = tmp_path / "kept"
    first = opened("one", capabilities=[loom.Memory(folder, engine)])
    first.memory.save("Bitcoin price analysis: volatile in March.")
    first.close()
    second = opened("two", capabilities=[loom.Memory(folder, engine)])
    (found,) = second.memory.query("Bitcoin price analysis", limit=5)
    assert found.memory.text == "Bitcoin price analysis: volatile in March."


def test_long_term_limit(opened: Open, tmp_path: Path) -> None:
    """A query gives the five best unless another limit is given."""
    ctx = opened(capabilities=[loom.Memory(tmp_path / "kept")])
    for number in range(8):
        ctx.memory.save(f"price note {number}")
    assert len(ctx.memory.query("price")) == 5
    assert len(ctx.memory.query("price", limit=2)) == 2


def test_long_term_ttl(opened: Open, tmp_path: Path) -> None:
    """A memory with a time to live is not found after it."""
    ctx = opened(capabilities=[loom.Memory(tmp_path / "kept")])
    ctx.memory.save("gone at once", ttl=1e-9)
    ctx.memory.save("here for an hour", ttl=3_600)
    assert [one.memory.text for one in ctx.memory.query("")] == ["here for an hour"]


def test_long_term_of_any_context(opened: Open) -> None:
    """Any context saves and queries memories, with nothing else set up."""
    ctx = opened()
    ctx.memory.save("Bitcoin is volatile.")
    assert ctx.memory.query("Bitcoin")


def test_semantic(opened: Open) -> None:
    """Recall compares meanings with an embedder that is given; words alone find nothing here."""
    ctx = opened()
    step(ctx, "aaaa bbbb cccc\n" * 100)
    embedder = Letters()
    ctx.memory.use_embedder(embedder)
    ctx.recall("abc cab")
    assert embedder.given > 0


def test_retrieval(opened: Open, tmp_path: Path) -> None:
    """Each tier is read its own way: the window's last five steps, a file, a query."""
    ctx = opened("here", capabilities=[loom.Memory(tmp_path / "kept")], policy=SMALL)
    for number in range(6):
        step(ctx, f"line of {number}\n" * 100)
    ctx.memory.save("Bitcoin is volatile.")
    assert [one.id for one in list(ctx.window.history.stream.entries)[-5:]] == [2, 3, 4, 5, 6]
    assert (tmp_path / "here/outputs/shell_0001.log").read_text() == "line of 0\n" * 100
    assert ctx.memory.query("Bitcoin", limit=5)[0].memory.text == "Bitcoin is volatile."
