"""Hooks: on_cut may look at the context and refuse the cut, and change nothing; a thread one waits
for is told, and nothing hangs."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

import loom
from loom.session import locking
from loom_partitions.records import Compressed, Renewed
from tests.kit.cases import all_cases
from tests.kit.journal import lawful
from tests.kit.standins import TooLong
from tests.kit.step import calls, step

STEPS = 9
Use = Callable[[loom.Context], object]
LOOKS: dict[str, Use] = {
    "window": lambda ctx: ctx.window,
    "pressure": lambda ctx: ctx.pressure,
    "calls": lambda ctx: ctx.calls,
    "done": lambda ctx: ctx.done,
    "recall": lambda ctx: ctx.recall("run"),
    "restore": lambda ctx: ctx.history.restore(1),
    "page_in": lambda ctx: ctx.page_in("user_0001", lines="1"),
}
CHANGES: dict[str, Use] = {
    "user": lambda ctx: ctx.user("from the hook"),
    "reply": lambda ctx: ctx.reply("from the hook"),
    "system": lambda ctx: ctx.system("from the hook"),
    "remember": lambda ctx: ctx.memory.remember("k", "from the hook"),
    "activate": lambda ctx: ctx.skills.activate("k", "from the hook"),
    "declare": lambda ctx: ctx.tools.declare({"name": "from_the_hook"}),
    "forget": lambda ctx: ctx.memory.forget("AGENTS.md"),
    "drop": lambda ctx: ctx.skills.drop("guide"),
    "task": lambda ctx: ctx.working.set_goal("from the hook"),
    "plan": lambda ctx: ctx.working.plan(["from the hook"]),
    "progress": lambda ctx: ctx.working.progress("from the hook"),
    "note": lambda ctx: ctx.working.note("from the hook"),
    "ask": lambda ctx: ctx.working.ask("q", "from the hook"),
    "signal": lambda ctx: ctx.events.signal("e", "from the hook"),
    "evidence": lambda ctx: ctx.working.evidence("p", "from the hook"),
    "resize": lambda ctx: ctx.resize(9_000),
    "finish": lambda ctx: ctx.finish("from the hook"),
    "undo": lambda ctx: ctx.history.undo(to=1),
    "turn": lambda ctx: ctx.turn(),
    "overflowed": lambda ctx: ctx.overflowed(TooLong()),
}


class Hook:
    """An on_cut hook that uses the context it was given to, and keeps what that raised."""

    def __init__(self, use: Use, *, passes_on: bool = False) -> None:
        self.use = use
        self.passes_on = passes_on
        self.ctx: loom.Context
        self.raised: list[Exception | None] = []

    def __call__(self, cut: Compressed | Renewed) -> None:
        """Use the context; only the first error is passed on, if asked to."""
        try:
            self.use(self.ctx)
            self.raised.append(None)
        except Exception as error:
            self.raised.append(error)
            if self.passes_on and len(self.raised) == 1:
                raise


@contextmanager
def lived(path: Path, hook: Hook) -> Iterator[None]:
    """Steps in a small eager context, which is cut often, with something on every shelf. Then it is
    lawful, has every step once and in order, and asks for the same when it is opened again."""
    with loom.open(
        path, goal="Fix it.", window=8_192, policy="eager", on_cut=hook, durable=False
    ) as ctx:
        hook.ctx = ctx
        ctx.memory.remember("AGENTS.md", "Run make test.")
        ctx.skills.activate("guide", "Read it first.")
        ctx.user("run all of them")
        for _ in range(STEPS):
            window = ctx.window
            try:
                ctx.turn()
            except loom.errors.Reentered:
                assert hook.passes_on and ctx.window is window
            step(ctx, 60)
        assert ctx.window.sent.cuts
        yield
        assert lawful(ctx) == []
        assert ctx.window.history.next_id == STEPS + 2
        for id in range(2, STEPS + 2):
            (text,) = ctx.history.restore(id).results.values()
            assert text.count(f" of the output {id}\n") == 60
        turn = ctx.turn()
        assert "from the hook" not in str(turn.request())
    with loom.open(path, durable=False) as ctx:
        assert ctx.turn().sha256 == turn.sha256


@all_cases("name", LOOKS)
def test_a_hook_may_look(tmp_path: Path, name: str) -> None:
    """Everything that only reads answers within the hook."""
    hook = Hook(LOOKS[name])
    with lived(tmp_path, hook):
        assert set(hook.raised) == {None}


@all_cases("name", CHANGES)
def test_a_hook_may_not_change(tmp_path: Path, name: str) -> None:
    """Every change is refused by its own error; the cut is made and nothing is lost."""
    hook = Hook(CHANGES[name])
    with lived(tmp_path, hook):
        assert {type(error) for error in hook.raised} == {loom.errors.Reentered}
        assert isinstance(hook.raised[0], loom.LoomError)


@all_cases("name", ["user", "resize", "turn", "overflowed"])
def test_an_error_the_hook_passes_on(tmp_path: Path, name: str) -> None:
    """It comes out of turn() and the window has not moved; the next turn() is made."""
    hook = Hook(CHANGES[name], passes_on=True)
    with lived(tmp_path, hook):
        assert isinstance(hook.raised[0], loom.errors.Reentered)
        assert len(hook.raised) > 1


class Waiting(loom.Capability):
    """Every moment and tool of it hands what `act` does to another thread, and waits for it."""

    name = "waiting"

    def __init__(self) -> None:
        self.act: Use = lambda ctx: None
        self.at = ""  # the moment it acts at
        self.met: list[BaseException | None] = []
        self.pool = ThreadPoolExecutor(1)

    def acts(self, moment: str) -> str:
        """Use, at the moment that was chosen."""
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
        """Use."""
        self.acts("recalled")

    def run(self, call: loom.Call, context: loom.Context) -> loom.Executed | None:
        """Run the tool of the host's."""
        return loom.Executed(1, self.acts("run")) if call.name == "run" else None


for moment in ("before_turn", "before_renewal", "goal_changed", "resized", "closing"):
    setattr(Waiting, moment, lambda self, at=moment: self.acts(f"waiting.{at}"))
DOES: dict[str, Use] = {
    "on_cut": lambda ctx: ctx.renew(),
    "the tool wait": lambda ctx: ctx.reply(calls("w", tool="wait", args="{}")),
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
