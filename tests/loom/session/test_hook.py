"""The on_cut hook: it may look at the context and refuse the cut, and change nothing."""

from collections.abc import Callable
from pathlib import Path

import loom
from loom_partitions.records import Compressed, Renewed
from tests.kit.cases import all_cases
from tests.kit.journal import lawful
from tests.kit.standins import TooLong
from tests.kit.step import step

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


def opened(path: Path, hook: Hook) -> loom.Context:
    """A small eager context, which is cut often, with something on every shelf."""
    ctx = hook.ctx = loom.open(
        path, goal="Fix it.", window=8_192, policy="eager", on_cut=hook, durable=False
    )
    ctx.memory.remember("AGENTS.md", "Run make test.")
    ctx.skills.activate("guide", "Read it first.")
    ctx.user("run all of them")
    return ctx


def whole(ctx: loom.Context, steps: int) -> None:
    """Check that the window is lawful and that every step is there, in order, once."""
    assert lawful(ctx) == []
    assert ctx.window.history.next_id == steps + 2
    for id in range(2, steps + 2):
        (text,) = ctx.history.restore(id).results.values()
        assert text.count(f" of the output {id}\n") == 60
    assert "from the hook" not in str(ctx.turn().request())


@all_cases("name", LOOKS)
def test_a_hook_may_look(tmp_path: Path, name: str) -> None:
    """Everything that only reads answers within the hook."""
    hook = Hook(LOOKS[name])
    with opened(tmp_path, hook) as ctx:
        for _ in range(STEPS):
            ctx.turn()
            step(ctx, 60)
        assert hook.raised
        assert set(hook.raised) == {None}
        whole(ctx, STEPS)


@all_cases("name", CHANGES)
def test_a_hook_may_not_change(tmp_path: Path, name: str) -> None:
    """Every change is refused by its own error; the cut is made and nothing is lost."""
    hook = Hook(CHANGES[name])
    with opened(tmp_path, hook) as ctx:
        for _ in range(STEPS):
            ctx.turn()
            step(ctx, 60)
        assert hook.raised
        assert {type(error) for error in hook.raised} == {loom.errors.Reentered}
        assert isinstance(hook.raised[0], loom.LoomError)
        assert ctx.window.sent.cuts
        whole(ctx, STEPS)
        sha256 = ctx.turn().sha256
    with loom.open(tmp_path, durable=False) as ctx:
        assert ctx.turn().sha256 == sha256


@all_cases("name", ["user", "resize", "turn", "overflowed"])
def test_an_error_the_hook_passes_on(tmp_path: Path, name: str) -> None:
    """It comes out of turn() and the window has not moved; the next turn() is made."""
    hook = Hook(CHANGES[name], passes_on=True)
    with opened(tmp_path, hook) as ctx:
        for _ in range(STEPS):
            window = ctx.window
            try:
                ctx.turn()
            except loom.errors.Reentered:
                assert ctx.window is window
            step(ctx, 60)
        assert isinstance(hook.raised[0], loom.errors.Reentered)
        assert len(hook.raised) > 1
        whole(ctx, STEPS)
        sha256 = ctx.turn().sha256
    with loom.open(tmp_path, durable=False) as ctx:
        assert ctx.turn().sha256 == sha256
