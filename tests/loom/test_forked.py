"""A forked child has no part in what its parent opened: each door of it is shut."""

import os
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.inputs import Reply, ToolCall
from loom_paging import writer_of
from tests.kit.journal import files
from tests.loom.test_after_close import CLOSED, METHODS

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
SPACES = ("agents.bus", "events.heartbeat")  # what leads to further methods that write


def forked(act: Callable[[], str | None]) -> str:
    """What an act gives in a forked child, or what it raises, by its name."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        said = ""
        try:
            said = act() or ""
        except BaseException as error:
            said = type(error).__name__
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        said = told.read()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def ctx(tmp_path: Path) -> Any:
    """A context with a child, an open call and whatever else there may be."""
    toolbox = loom.Toolbox()
    with loom.open(
        tmp_path / "w",
        window=8_000,
        durable=False,
        capabilities=[loom.Memory(tmp_path / "m"), toolbox],
        goal="Build it.",
    ) as made:
        made.user("Build every part.")
        made.agents.spawn("Count.", name="kid").close()
        made.working.ask("q", "Which?")
        made.events.signal("s", "It broke.")
        made.memory.remember("note", "tabs")
        made.turn()
        made.reply(Reply((ToolCall("c1", "Bash", '{"command": "make"}'),)))
        yield made


def test_a_forked_child_is_refused(ctx: loom.Context, tmp_path: Path) -> None:
    """By each door, before anything is run or written; the parent goes on."""
    before = files(tmp_path)

    def each() -> str:
        return "\n".join(f"{place}.{name}: {tried(place, name)}" for place, name in METHODS)

    def tried(place: str, name: str) -> str:
        try:
            CLOSED[place][name](ctx if place == "ctx" else getattr(ctx, place))
        except BaseException as error:
            return type(error).__name__
        return ""

    assert forked(each).splitlines() == [
        f"{place}.{name}: StoreReplaced" for place, name in METHODS
    ]
    assert files(tmp_path) == before
    ctx.result("c1", "built")
    ctx.turn()
    assert list(ctx.agents.children.values()) == ["at work"]


def test_a_forked_child_may_close(ctx: loom.Context, tmp_path: Path) -> None:
    """That is harmless: the parent keeps the lock."""
    assert forked(ctx.close) == ""
    assert writer_of(tmp_path / "w") == os.getpid()
    ctx.result("c1", "built")
    ctx.turn()


def test_what_leads_to_further_methods_is_refused_too(ctx: loom.Context) -> None:
    """Nothing is told, and nothing is looked at."""
    for name in SPACES:
        attrgetter(name)(ctx)
        assert forked(lambda name=name: attrgetter(name)(ctx)) == "StoreReplaced"
