"""Long-term memory through a context: saved here, found there, never saved twice, gone in time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.errors import BadInput
from loom_paging import MemoryStore
from tests.kit.standins import Letters


@pytest.fixture
def now() -> list[float]:
    """The hour, in unix seconds, which a test may set."""
    return [1_000_000.0]


@pytest.fixture
def ctx(tmp_path: Path, now: list[float]) -> Iterator[loom.Context]:
    """A context with a folder for memory."""
    memory = loom.Memory(tmp_path / "kept", clock=lambda: now[0])
    with loom.open(tmp_path / "w", capabilities=[memory], durable=False) as made:
        yield made


def texts(ctx: loom.Context, query: str, limit: int = 5) -> list[str]:
    """The texts of the memories that answer a query, best first."""
    return [one.memory.text for one in ctx.memory.query(query, limit)]


def recalled(ctx: loom.Context, query: str) -> str:
    """What the model's own tool recalls."""
    ctx.reply(loom.Reply((loom.ToolCall("c", "recall", f'{{"query": "{query}"}}'),)))
    return ctx.history.restore(1).results["c"]


def test_without_any_folder_there_is_none() -> None:
    """It says what to give where the workspace is no folder."""
    with loom.open(MemoryStore()) as ctx, pytest.raises(BadInput, match=r"loom\.Memory"):
        ctx.memory.save("something")


def test_what_was_recalled_is_no_new_memory(ctx: loom.Context) -> None:
    """Its line leads to the memory it shows; what is said beside it is kept alone."""
    saved = ctx.memory.save("The staging database is db7.")
    shown = "from earlier sessions:" + recalled(ctx, "staging database").split("sessions:")[1]
    assert ctx.memory.save(shown) == saved
    assert ctx.memory.save(f"{shown}\nIts port is 5433.").text == "Its port is 5433."


def test_memories_are_told_by_recall(ctx: loom.Context) -> None:
    """A saved memory is found, alone and behind a passage, within the room that is given."""
    ctx.memory.save("the zebra gateway listens on port 7711")
    found = ctx.recall("zebra gateway")
    assert "port 7711" in found and "nothing holds" not in found
    ctx.user("where is the zebra gateway?")
    found = ctx.recall("zebra gateway")
    assert found.index("where is") < found.index("port 7711")
    for room in (0, 10, 60, 200):
        assert len(ctx.recall("zebra gateway", room)) <= room
        assert ctx._engine.sizes.count(ctx.recall("zebra gateway", tokens=room)) <= room


def test_an_expired_one_is_not_given_back_for_its_line(ctx: loom.Context, now: list[float]) -> None:
    """To save the line that shows an expired memory is to save nothing."""
    ctx.memory.save("The token is zebra.", ttl=60)
    line = "[memory 1, 1970-01-12] The token is zebra."
    assert ctx.memory.save(line).id == 1
    now[0] += 60
    with pytest.raises(loom.LoomError, match="blank"):
        ctx.memory.save(line)


def test_a_memory_is_found_by_meaning(ctx: loom.Context) -> None:
    """With an embedder, by query and by recall; by words alone before and after."""
    ctx.memory.save("silent")
    assert texts(ctx, "listen") == []
    ctx.memory.use_embedder(Letters())
    assert texts(ctx, "listen", 1) == ["silent"] and "silent" in recalled(ctx, "tinsel")
    ctx.memory.use_embedder(None)
    assert texts(ctx, "listen") == []
