"""A hook that waits for another thread of its context: that one is told, and nothing hangs."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import loom
from loom.session import locking
from tests.kit.cases import all_cases
from tests.kit.step import calls

Act = Callable[[loom.Context], object]


class Waiting(loom.Capability):
    """Every moment and tool of it hands what `act` does to another thread, and waits for it."""

    name = "waiting"

    def __init__(self) -> None:
        self.act: Act = lambda ctx: None
        self.at = ""  # the moment it acts at
        self.met: list[BaseException | None] = []
        self.pool = ThreadPoolExecutor(1)

    def acts(self, moment: str) -> str:
        """Act, at the moment that was chosen."""
        if moment == self.at:
            self.met.append(self.pool.submit(lambda: self.act(self.context)).exception())
        return "done"

    @property
    def tools(self) -> tuple[loom.OwnTool, ...]:
        """A tool that acts."""
        return (loom.own_tool("wait", "Wait.", {}, lambda *given: self.acts("the tool wait")),)

    def cut(self, record: object) -> None:
        """As an `on_cut`."""
        self.acts("on_cut")

    def recalled(self, query: str) -> None:
        """Act."""
        self.acts("recalled")

    def run(self, call: loom.Call, context: loom.Context) -> loom.Executed | None:
        """Run the tool of the host's."""
        return loom.Executed(1, self.acts("run")) if call.name == "run" else None


for moment in ("before_turn", "before_renewal", "goal_changed", "resized", "closing"):
    setattr(Waiting, moment, lambda self, at=moment: self.acts(f"waiting.{at}"))


def replied(ctx: loom.Context, tool: str) -> None:
    """A reply with a call of a tool."""
    ctx.reply(calls("w", tool=tool, args="{}"))


DOES: dict[str, Act] = {
    "on_cut": lambda ctx: ctx.renew(),
    "the tool wait": lambda ctx: replied(ctx, "wait"),
    "waiting.before_renewal": lambda ctx: ctx.renew(),
    "waiting.goal_changed": lambda ctx: ctx.working.set_goal("Another."),
    "waiting.resized": lambda ctx: ctx.resize(16_000),
    "recalled": lambda ctx: ctx.recall("line"),
}


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    """The capability, with a thread of its own."""
    made = Waiting()
    yield made
    made.pool.shutdown()


@pytest.fixture
def ctx(tmp_path: Path, waiting: Waiting) -> Iterator[loom.Context]:
    """A context with some history, and hooks that do nothing yet."""
    with loom.open(
        tmp_path / "w", window=8_000, goal="Go.", capabilities=[waiting], on_cut=waiting.cut,
        tools=[{"name": "run", "description": "Run."}], durable=False,
    ) as made:  # fmt: skip
        for number in range(6):
            made.user(f"message {number}: " + "a line of it\n" * 40)
        yield made


@all_cases("at", DOES)
@all_cases("act", ["changes", "reads"])
def test_a_thread_that_a_hook_waits_for_is_told(
    ctx: loom.Context, waiting: Waiting, at: str, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its call is a Reentered that names the hook, and the hook's own call goes on."""
    monkeypatch.setattr(locking, "WAIT", 0.01)
    waiting.act = {"changes": lambda c: c.user("x"), "reads": lambda c: c.recall("line")}[act]
    waiting.at = at
    before = ctx.window.history.next_id
    DOES[at](ctx)
    waiting.at = ""
    assert waiting.met
    for error in waiting.met:
        assert isinstance(error, loom.errors.Reentered)
        assert at in str(error)
    assert ctx.window.history.next_id <= before + 1  # the reply, and nothing of the thread's
    ctx.user("afterwards")
    assert "afterwards" in str(ctx.turn().messages)
