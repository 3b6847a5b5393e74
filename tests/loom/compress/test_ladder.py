"""Collapse, auto and reactive, driven through turns and straight on a scene."""

import pytest

from loom.compress.auto import auto, collapse
from loom.compress.cut_input import Strategy
from loom.compress.duplicates import micro
from loom.compress.ladder import reactive
from loom.compress.snip import snip
from loom_partitions import laws
from loom_partitions.records import Certificate, Compressed
from loom_partitions.window import apply
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

NOISE = "the build went on and on as builds do\n"


def test_other_errors_are_raised_again(opened: Open) -> None:
    """What is no overflow goes back to the host, and nothing is recorded."""
    ctx = opened()
    ctx.user("hi")
    before = ctx.window
    with pytest.raises(ZeroDivisionError):
        ctx.overflowed(ZeroDivisionError("x"))
    assert ctx.window is before


@all_cases("strategy", [snip, micro, collapse, auto, reactive])
def test_planning_again_finds_nothing(opened: Open, strategy: Strategy) -> None:
    """What a level lowered to its target, that level does not lower again."""
    ctx = opened()
    for number in range(8):
        step(ctx, NOISE * 80 + str(number % 2), args='{"command":"make"}')
    target = ctx.window.tokens.total - 1_500
    edits = strategy(scene(ctx, target))
    assert edits
    none = Certificate({}, ctx.window.tokens, ctx.window.tokens, 0, 0, 0)
    after = apply(ctx.window, Compressed("test", edits, 0, none))
    assert laws.counted(after) == []
    assert after.tokens.total < ctx.window.tokens.total
    cutter = ctx._engine.cut_decision.cutter
    assert (
        laws.idempotent(after, lambda window: strategy(cutter.cut_input(window, 0, target))) == []
    )
