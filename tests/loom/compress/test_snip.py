"""Snip: long results and texts that are no longer recent."""

from __future__ import annotations

import re
from collections.abc import Iterable

import loom
from loom.compress.ladder import Level, crossed
from loom.compress.scene import Scene
from loom.compress.snip import snip
from loom.policy import PRESETS
from loom_partitions import laws
from loom_partitions.cuts import Compressed
from loom_partitions.edits import Edit, Shortened
from loom_partitions.message import Said, Step
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

LONG = "".join(f"line {number} of the output\n" for number in range(200))


def named(levels: Iterable[Level]) -> list[str]:
    """Names of levels."""
    return [level.name for level in levels]


@all_cases(
    ("rho", "levels"),
    [
        (0.0, []),
        (0.6999, []),
        (0.70, ["snip", "settle"]),
        (0.7999, ["snip", "settle"]),
        (0.80, ["micro", "snip", "settle"]),
        (0.90, ["collapse", "micro", "snip", "settle"]),
        (0.95, ["auto", "collapse", "micro", "snip", "settle"]),
    ],
)
def test_marks_are_inclusive(rho: float, levels: list[str]) -> None:
    """At each mark its level may act, the highest crossed one first."""
    assert named(crossed(rho, PRESETS["lazy"])) == levels
    assert named(crossed(rho, PRESETS["eager"])) == ["step", *levels]


def test_levels_of_a_host_stand_among_the_others() -> None:
    """Each behind all of a higher mark, in the order given where marks are equal."""
    marks = {"b": 0.85, "d": 0.70, "e": 0.70, "c": "micro_at", "a": 2.0, "f": 0.1}
    own = [Level(name, mark, snip) for name, mark in marks.items()]
    assert named(crossed(0.96, PRESETS["lazy"], own)) == [
        *("auto", "collapse", "b", "c", "micro", "d", "e", "snip", "settle", "f")
    ]
    assert named(crossed(0.1, PRESETS["eager"], own)) == ["step", "f"]


def test_a_level_of_a_host_cuts(opened: Open) -> None:
    """Its strategy sees what the others see, and its edits are certified and recorded as theirs."""
    ctx = opened()
    ids = [step(ctx, LONG) for _ in range(6)]

    def oldest(scene: Scene) -> list[Edit]:
        return list(snip(scene))[:1]

    seen = scene(ctx)
    cut = ctx._engine.relief.cutter.attempt(Level("oldest", 0.5, oldest), seen)
    assert cut is not None
    assert isinstance(cut.record, Compressed)
    assert cut.record.level == "oldest"
    assert [getattr(edit, "entry", 0) for edit in cut.record.edits] == ids[:1]
    assert [*laws.ordered(cut.after), *laws.paired(cut.after), *laws.counted(cut.after)] == []


def test_only_old_long_results(opened: Open) -> None:
    """A long old result is cut; short ones and those of the last three steps are not."""
    ctx = opened()
    ids = [step(ctx, text) for text in ("short", LONG, "short", LONG, LONG, LONG)]
    edits = snip(scene(ctx))
    assert [edit.entry for edit in edits if isinstance(edit, Shortened)] == [ids[1]]


def test_nothing_without_excess(opened: Open) -> None:
    """Below the target there is nothing to do."""
    ctx = opened()
    for _ in range(6):
        step(ctx, LONG)
    assert snip(scene(ctx, target=100_000)) == ()


def test_head_tail_and_page(opened: Open) -> None:
    """The cut form keeps the first and the last line, true sizes, and a page that has it all."""
    ctx = opened()
    for _ in range(4):
        step(ctx, LONG)
    (edit,) = snip(scene(ctx))
    assert isinstance(edit, Shortened)
    assert edit.text.body is not None
    assert edit.text.body.startswith("line 0 of")
    assert edit.text.body.rstrip().endswith("line 199 of the output")
    assert len(edit.text.body) < 2_000
    told = rf"{len(LONG):,} bytes \(lines=\d+-\d+\) rest in {edit.text.page}"
    assert re.search(told, edit.text.body)
    assert edit.text.size == len(LONG)
    assert ctx.page_in(edit.text.page).text == LONG


def test_a_speech_too_large_to_enter_is_cut_from_itself(opened: Open) -> None:
    """What the model said keeps its own head when it is cut a second time."""
    ctx = opened()
    ctx.reply(loom.Reply((loom.Speech("The quick brown fox. " * 3_000),)))
    for _ in range(3):
        step(ctx, "short")
    entry = next(iter(ctx.window.history.stream))
    assert isinstance(entry, Step)
    assert isinstance(entry.parts[0], Said)
    assert str(entry.parts[0].text.body).startswith("The quick")
    (edit,) = snip(scene(ctx))
    assert isinstance(edit, Shortened)
    assert str(edit.text.body).startswith("The quick")
