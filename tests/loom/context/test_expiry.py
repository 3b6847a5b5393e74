"""Long-term memory through a context: what has expired is gone, what is meant alike is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import loom
from loom.capabilities.memory.longterm import ENGINES, open_longterm
from tests.kit.cases import all_cases

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


def held(folder: Path) -> bytes:
    """Every byte of the store, in small letters."""
    return b"".join(one.read_bytes() for one in folder.rglob("*") if one.is_file()).lower()


def test_without_a_ttl_nothing_expires(opened: Opened, clock: Clock) -> None:
    """A hundred years later it is found as on the first day."""
    with opened("one") as ctx:
        ctx.memory.save("The lock is blue.")
        clock.now += 3e9
        assert texts(ctx, "lock") == ["The lock is blue."]


def test_an_expired_memory_is_gone(opened: Opened, clock: Clock) -> None:
    """Found until its last second; then by no query and no recall, and its key is free."""
    with opened("one") as ctx:
        ctx.memory.save("The token is zebra.", key="token", ttl=60)
        clock.now += 59.9
        assert texts(ctx, "zebra") == ["The token is zebra."] == texts(ctx, "")
        clock.now += 0.1
        assert texts(ctx, "zebra") == [] == texts(ctx, "")
        ctx.reply(loom.Reply((loom.ToolCall("c", "recall", '{"query": "zebra token"}'),)))
        assert "earlier sessions" not in ctx.history.restore(1).results["c"]
        made = ctx.memory.save("The token is gnu.", key="token")
        assert made.replaces == 0 and texts(ctx, "token") == ["The token is gnu."]


@all_cases("by", ["opening", "use", "save"])
def test_its_text_leaves_the_files(
    opened: Opened, clock: Clock, tmp_path: Path, kept_in: str, by: str
) -> None:
    """Swept when the context is opened, when its store is first used, and with a save."""
    with opened("one") as ctx:
        ctx.memory.save("Xylophagous qwertzuiop.", ttl=60)
        ctx.memory.save("The door is blue.")
        if by == "save":
            clock.now += 60
            ctx.memory.save("The window is green.")
    assert (b"qwertz" in held(tmp_path / "kept")) == (by != "save")
    if by == "use":
        with opened("two") as ctx:
            clock.now += 60
            assert texts(ctx, "door") == ["The door is blue."]
    elif by == "opening":
        clock.now += 60
        opened("two").close()
    left = held(tmp_path / "kept")
    assert b"qwertz" not in left and b"ylophag" not in left and b"door" in left
    with open_longterm(tmp_path / "kept" / f"memories.{kept_in}", kept_in) as store:
        assert store.get(1) is None and len(store) == (2 if by == "save" else 1)


def test_a_sweep_is_bounded(tmp_path: Path, kept_in: str) -> None:
    """It takes the first to expire, no more than it is allowed, and the rest at the next."""
    with open_longterm(tmp_path / "kept", kept_in) as store:
        for at in range(6):
            store.save(f"number {at}", now=1, ttl=10 - at)
        assert store.expire(20, 4) == 4 and [store.get(id) for id in (3, 6)] == [None, None]
        assert store.get(1) is not None and store.get(1, now=20) is None
        assert store.expire(20, 4) == 2 and store.expire(20, 4) == 0 and len(store) == 0


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


def test_meaning_and_words_are_summed(opened: Opened) -> None:
    """Of two that mean the same, the one that holds the word stands first; always in one order."""
    with opened("one") as ctx:
        ctx.memory.use_embedder(Topics())
        ctx.memory.save("A kitten came.")
        ctx.memory.save("A cat came.")
        orders = {tuple(texts(ctx, "kitten")) for _ in range(3)}
        assert orders == {("A kitten came.", "A cat came.")}


def test_each_memory_is_embedded_once(opened: Opened) -> None:
    """Over queries and sessions: a query embeds itself and what is new."""
    embedder = Topics()
    with opened("one") as ctx:
        ctx.memory.save("Our cat sleeps all day.")
        ctx.memory.save("Invoices go out on the first.")
        ctx.memory.use_embedder(embedder)
        texts(ctx, "kitten")
        assert len(embedder.given) == 3
    with opened("two") as ctx:
        ctx.memory.use_embedder(embedder)
        texts(ctx, "kitten")
        assert len(embedder.given) == 4
        ctx.memory.save("The disk is full.")
        texts(ctx, "billing")
        assert embedder.given[4:] == ["billing", "The disk is full."]


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
