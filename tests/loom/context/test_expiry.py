"""Long-term memory through a context: what has expired is gone, what is meant alike is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import loom
from loom.capabilities.memory.longterm import ENGINES

Opened = Callable[[str], loom.Context]
START = 1_000_000.0


class Clock:
    """A clock that is set by hand, in unix seconds."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        """The time it shows."""
        return self.now


class Topics:
    """An embedder by topic: words of one topic have one direction, whatever their letters."""

    name = "topics"
    topics = (("cat", "kitten", "feline"), ("invoice", "billing", "payment"), ("disk", "storage"))

    def __init__(self) -> None:
        self.given: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of unit length; what belongs to no topic stands on an axis of its own."""
        self.given += texts
        rows = [
            [any(word in text.lower() for word in one) for one in self.topics] for text in texts
        ]
        made = np.array([[*row, not any(row)] for row in rows], np.float32)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


@pytest.fixture(params=sorted(ENGINES))
def kept_in(request: pytest.FixtureRequest) -> str:
    """The name of an engine that is installed."""
    if request.param == "rocksdb":
        pytest.importorskip("rocksdict")
    return str(request.param)


@pytest.fixture
def clock() -> Clock:
    """A clock at the start."""
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, kept_in: str, clock: Clock) -> Opened:
    """Open a workspace of that name on one folder for memory."""
    return lambda name: loom.open(
        tmp_path / name,
        capabilities=[loom.Memory(tmp_path / "kept", kept_in, clock=clock)],
        durable=False,
    )


def texts(ctx: loom.Context, query: str, limit: int = 5) -> list[str]:
    """The texts of the memories that answer a query, best first."""
    return [one.memory.text for one in ctx.memory.query(query, limit)]


def test_an_expired_one_is_not_given_back_for_its_line(opened: Opened, clock: Clock) -> None:
    """To save the line that shows an expired memory is to save nothing."""
    with opened("one") as ctx:
        ctx.memory.save("The token is zebra.", ttl=60)
        line = "[memory 1, 1970-01-12] The token is zebra."
        assert ctx.memory.save(line).id == 1
        clock.now += 60
        with pytest.raises(loom.LoomError, match="blank"):
            ctx.memory.save(line)


def test_a_memory_is_found_by_meaning(opened: Opened) -> None:
    """With an embedder, by query and by recall; by words alone before and after."""
    with opened("one") as ctx:
        for text in (
            "Our cat sleeps all day.",
            "Invoices go out on the first.",
            "The disk is full.",
        ):
            ctx.memory.save(text)
        assert texts(ctx, "kitten") == []
        embedder = Topics()
        ctx.memory.use_embedder(embedder)
        assert texts(ctx, "kitten", 1) == ["Our cat sleeps all day."]
        assert texts(ctx, "storage", 1) == ["The disk is full."]
        ctx.reply(loom.Reply((loom.ToolCall("c", "recall", '{"query": "feline"}'),)))
        assert "Our cat sleeps" in ctx.history.restore(1).results["c"]
        ctx.memory.use_embedder(None)
        assert texts(ctx, "kitten") == []


def test_vectors_of_other_dimensions_are_made_anew(opened: Opened) -> None:
    """An embedder that kept its name and changed its size costs one more round, no error."""

    class Wider(Topics):
        topics = (*Topics.topics, ("door", "gate"))

    with opened("one") as ctx:
        ctx.memory.save("The gate is open.")
        ctx.memory.save("Our cat sleeps all day.")
        ctx.memory.use_embedder(Topics())
        assert texts(ctx, "kitten", 1) == ["Our cat sleeps all day."]
        wider = Wider()
        ctx.memory.use_embedder(wider)
        assert texts(ctx, "door", 1) == ["The gate is open."]
        assert texts(ctx, "kitten", 1) == ["Our cat sleeps all day."] and len(wider.given) == 4
