"""Agents whose model is an object with one method, their clients pointed at a scripted server."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.adapters.models import wrap
from tests.kit.pages import blocks_of, printed
from tests.kit.scripted_server import ScriptedServer, said

WINDOW = 16_000
OWN = loom.Policy(own_tools=False)


# litellm leaves an event loop open, and smolagents its clients: both are let go within each test.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def let_go() -> Iterator[None]:
    """Collect what the libraries left."""
    yield
    asyncio.set_event_loop(None)
    gc.collect()


def opened(folder: Path, **more: Any) -> loom.Context:
    """The workspace of an agent that has its own tools alone."""
    return loom.open(folder, window=WINDOW, durable=False, policy=OWN, **more)


class Counter:
    """A model of no framework."""

    name = "counter"

    def query(self, messages: list[Any]) -> Any:
        """The number of messages."""
        return {"role": "assistant", "content": str(len(messages))}


def test_what_cannot_be_wrapped(tmp_path: Path) -> None:
    """An object of another kind, and a context that answers tools itself: typed errors."""
    with opened(tmp_path / "one") as ctx, pytest.raises(loom.BadInput):
        wrap(object(), ctx)
    with loom.open(tmp_path / "two", durable=False) as ctx, pytest.raises(loom.BadInput):
        wrap(Counter(), ctx)


def test_attributes_are_the_models(tmp_path: Path) -> None:
    """They are read from it, and set on it."""
    model = Counter()
    with opened(tmp_path / "w") as ctx:
        wrapped = wrap(model, ctx)
        assert wrapped.name == "counter"
        wrapped.name = "other"
        assert model.name == "other"
        with pytest.raises(AttributeError):
            _ = wrapped.missing
        assert wrapped.query([{"role": "user", "content": "Hi."}])["role"] == "assistant"
        assert ctx.done


# mini-swe-agent


SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo done"


@pytest.mark.parametrize("number", [0, 1], ids=["mini-swe-agent", "smolagents"])
def test_the_page(tmp_path: Path, number: int) -> None:
    """The blocks of the page run as printed, and once more in the same folder."""
    pytest.importorskip(("minisweagent", "smolagents")[number])
    scripts = (
        lambda messages, step: said("", ("bash", {"command": SUBMIT if step % 2 else "ls"})),
        lambda messages, step: "Thought.\n<code>\nfinal_answer(168)\n</code>",
    )
    with ScriptedServer(scripts[number]) as server:
        for _ in range(2):
            shown = printed(blocks_of("models.md")[number], tmp_path, server.v1)
            assert ("Submitted", "168")[number] in shown and "ρ" in shown
        assert [one.answer for one in server.refused] == [] and server.faults == []
