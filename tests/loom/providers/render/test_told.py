"""What a dashboard told, summed up: what differs is told again, and nothing else."""

from __future__ import annotations

import itertools
from pathlib import Path

from msgspec.structs import replace

from loom.providers.render.dashboard import Live
from loom.providers.render.told import changes, known, told
from loom_partitions.message import Text
from loom_partitions.surfaces import Event, PlanItem
from loom_partitions.working import Working
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import calls

WORKING = Working(
    goal=Text(3, 9, "Fix the parser."),
    plan=(PlanItem("read", "done"), PlanItem("mend", "doing")),
    events=(Event(("e1",), "disk", "nearly full", "high"),),
    errors=(3,),
)
NOW = Live(0.55, 1_000, step=4)


def test_the_same_is_no_change() -> None:
    """Nothing differs from itself."""
    assert changes(told(WORKING, NOW), told(WORKING, NOW)) == set()


CHANGED = [
    (replace(WORKING, progress="half", scratchpad=Text(1, 1, "x")), NOW, set()),
    (WORKING, replace(NOW, rho=0.64, budget=9, heartbeat="12:00:00"), set()),
    (WORKING, replace(NOW, rho=0.65), {"ρ"}),
    (WORKING, replace(NOW, redacted=True), {"redacted"}),
    (WORKING, replace(NOW, rho=0.45), {"ρ"}),
    (WORKING, replace(NOW, rho=float("inf")), {"ρ"}),
    (WORKING, replace(NOW, step=40), {"errors"}),
    (replace(WORKING, errors=(3, 4)), NOW, {"errors"}),
    (replace(WORKING, interrupt=True), NOW, {"interrupt"}),
    (replace(WORKING, plan=()), NOW, {"plan"}),
    (replace(WORKING, goal=None, questions=(("q1", "why?"),)), NOW, {"goal", "questions"}),
]


@all_cases(("working", "live", "changed"), CHANGED)
def test_what_changed(working: Working, live: Live, changed: set[str]) -> None:
    """A tenth of ρ, errors, an interrupt, a surface; not the model's own words or the hour."""
    assert changes(told(WORKING, NOW), told(working, live)) == changed


def test_before_anything_was_told() -> None:
    """Then everything there is differs."""
    assert changes("", told(WORKING, NOW)) == {
        "ρ", "errors", "interrupt", "goal", "plan", "events",
    }  # fmt: skip


def test_what_the_model_wrote_is_known() -> None:
    """A surface it wrote, and the interrupt it settled, need no telling; ρ told stays as it was."""
    before = replace(WORKING, interrupt=True)
    after = replace(before, plan=(), events=(), interrupt=False)
    said = known(told(before, NOW), before, after)
    assert changes(said, told(after, replace(NOW, rho=0.7))) == {"ρ"}


def test_a_drift_adds_up(tmp_path: Path) -> None:
    """ρ that climbs by little each turn is told each tenth, counted from what was told last."""
    with plain(tmp_path / "w", window=9_000) as ctx:
        ctx.user("Begin.")
        ctx.turn()
        seen = []
        for number in range(24):
            ctx.reply(calls(f"c{number}"))
            ctx.result(f"c{number}", f"result {number} " * 60)
            ctx.turn()
            seen.append(ctx.window.sent.told.split()[2])
        assert ctx.window.sent.cuts == 0
        told_then = [float(one.removeprefix("ρ=")) for one in dict.fromkeys(seen)]
        assert len(told_then) >= 3
        assert all(two - one >= 0.095 for one, two in itertools.pairwise(told_then))


def test_errors_are_told_when_they_come(tmp_path: Path) -> None:
    """A tool that fails is told by one line, and a call that was given up by none."""
    with plain(tmp_path / "w", window=9_000) as ctx:
        ctx.user("Begin.")
        ctx.turn()
        mark = ctx.window.config.mark

        def said() -> list[str]:
            stream = ctx.window.history.stream
            return [getattr(i, "text", "") for i in stream if f"[dashboard {mark}] " in str(i)]

        ctx.reply(calls("c1"))
        ctx.abandon("asleep")
        ctx.turn()
        assert said() == []
        ctx.reply(calls("c2"))
        ctx.result("c2", "no such file", error=True)
        ctx.turn()
        (line,) = said()
        assert "errors 1" in line and "interrupt" not in line
        ctx.reply(calls("c3"))
        ctx.result("c3", "fine")
        ctx.turn()
        assert said() == [line]
