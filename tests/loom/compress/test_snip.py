"""Snip: long results and texts that are no longer recent."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

import loom
from benchmarks.swept.drive import SweepSetting, drive
from loom.compress.ladder import Level, crossed_levels
from loom.compress.snip import snip
from loom.policy import PRESETS, choose_policy
from loom_bench.sessions.generate import session
from loom_partitions.message import Said
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step


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
    assert named(crossed_levels(rho, PRESETS["lazy"])) == levels
    assert named(crossed_levels(rho, PRESETS["eager"])) == ["step", *levels]


def test_levels_of_a_host_stand_among_the_others() -> None:
    """Each behind all of a higher mark, in the order given where marks are equal."""
    marks = {"b": 0.85, "d": 0.70, "e": 0.70, "c": "micro_at", "a": 2.0, "f": 0.1}
    own = [Level(name, mark, snip) for name, mark in marks.items()]
    assert named(crossed_levels(0.96, PRESETS["lazy"], own)) == [
        *("auto", "collapse", "b", "c", "micro", "d", "e", "snip", "settle", "f")
    ]
    assert named(crossed_levels(0.1, PRESETS["eager"], own)) == ["step", "f"]


def test_a_speech_too_large_to_enter_is_cut_from_itself(opened: Open) -> None:
    """What the model said keeps its own head when it is cut a second time."""
    ctx = opened()
    ctx.reply(loom.Reply((loom.Speech("The quick brown fox. " * 3_000),)))
    for _ in range(3):
        step(ctx, "short")
    entry = next(iter(ctx.window.history.stream))
    assert isinstance(entry.parts[0], Said)
    assert str(entry.parts[0].text.body).startswith("The quick")
    (edit,) = snip(scene(ctx))
    assert str(edit.text.body).startswith("The quick")


@pytest.mark.parametrize("field", ["snip_chars", "reactive_chars"])
def test_the_lowest_limit_still_names_its_page(field: str) -> None:
    """Each text that is snipped is shown and counted as it is sent, and can be brought back."""
    tuning = replace(PRESETS["graduated"].tuning, **{field: 1})
    policy = choose_policy(replace(PRESETS["graduated"], tuning=tuning))
    driven = drive(session(0, 12, flavour="coding"), SweepSetting(4_096, policy))
    assert not driven.failed
    assert driven.findings.miscounted == 0 == driven.findings.unrestorable
    assert driven.findings.levels
