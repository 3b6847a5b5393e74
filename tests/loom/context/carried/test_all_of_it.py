"""All of C_working goes on: each of its fields, so that a new one cannot be forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom_partitions.working import Working
from tests.kit.opened import plain
from tests.kit.step import step

# Fields that do go on, of which two are texts on a page of their own.
TEXTS = {"goal", "scratchpad"}
SAME = {"progress", "plan", "events", "risks", "questions", "evidence", "errors", "interrupt",
        "decisions", "more"}  # fmt: skip
# Fields that do not go on, and why.
APART = {
    "depth": "an agent's place among others: tests/loom/capabilities/agents",
    "outcome": "a task that is carried on is not over",
    "children": "they work for the other session, and are told by name",
    "pad_pages": "the scratchpad is written anew: tests/loom/working/test_scratchpad.py",
    "pad_rest": "the scratchpad is written anew: tests/loom/working/test_scratchpad.py",
}


def test_every_field_is_named() -> None:
    """A field that comes to C_working has to be said to go on, or why it does not."""
    assert sorted([*SAME, *TEXTS, *APART]) == sorted(Working.__struct_fields__)


def carried(working: Working) -> dict[str, object]:
    """What is equal in both places."""
    held = {name: getattr(working, name) for name in SAME | TEXTS}
    return held | {name: held[name].body for name in TEXTS}


@pytest.mark.parametrize("end", ["renew", "finish"])
def test_each_field_goes_on(tmp_path: Path, end: str) -> None:
    """Filled surfaces stand in the other place as they stood, over two hops."""
    with plain(tmp_path / "w0", goal="Mend the tokens.", window=24_000) as ctx:
        ctx.working.progress("half")
        ctx.working.plan([("read", "done"), ("mend", "doing")])
        for number in range(12):
            ctx.working.ask(f"q{number}", f"which branch {number}?")
        ctx.working.evidence("clock", "it reads time.time()", ["a.py"], 0.9, facts=["so"])
        ctx.working.scratch("the clock")
        ctx.events.signal("ci-1", "2 tests fail", kind="ci", urgency="high")
        ctx.events.signal("disk", "nearly full")
        ctx.events.acknowledge("disk", "defer")
        step(ctx, "boom", error=True)
        ctx.turn()
        stood = ctx.window.working
        ctx.renew() if end == "renew" else ctx.finish("done")
    assert all(carried(stood)[name] for name in TEXTS | {"progress", "plan", "risks", "errors"})
    for hop in (1, 2):
        given = tmp_path / f"w{hop - 1}" / "snapshots" / "working_0001.json"
        with plain(tmp_path / f"w{hop}", snapshot=given, window=24_000) as ctx:
            assert carried(ctx.window.working) == carried(stood)
            ctx.turn()
            ctx.renew() if end == "renew" else ctx.finish("done")
