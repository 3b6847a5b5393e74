"""Renewals end at low water, or the pressure says why not; the level of a cut is always told."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.standins import TooLong
from tests.kit.step import step

REFUSED = "prompt is too long: 210000 tokens > 200000 maximum"


def read(ctx: loom.Context, number: int, lines: int) -> None:
    """Read a file of its own words."""
    text = "".join(f"value_{number}_{at} = {at * number}\n" for at in range(lines))
    step(ctx, text, tool="read_file", args={"path": f"src/part_{number}.py"})


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    room=st.integers(900, 6_000),
    sizes=st.lists(st.integers(1, 120), min_size=3, max_size=8),
    words=st.integers(0, 500),
    late=st.integers(0, 200),
)
def test_what_is_told_makes_up_what_is_above(
    tmp_path_factory: pytest.TempPathFactory, room: int, sizes: list[int], words: int, late: int
) -> None:
    """After any renewal ρ is at low water, or as high as the reasons that are given add up to."""
    with plain(tmp_path_factory.mktemp("r") / "w", window=room + 200, reply=200) as ctx:
        low = ctx.window.limits.low_water
        try:
            ctx.system("careful " * words)
            for number, lines in enumerate(sizes):
                read(ctx, number, lines)
            ctx.renew()
            if late:
                ctx.user("and " * late)
            turn = ctx.turn()
        except loom.OverCapacity:
            return
        told = {one.what: one.share for one in turn.pressure.above}
        added = told.pop("read ahead", 0) + told.pop("came in", 0)
        assert turn.pressure.rho <= max(low, sum(told.values())) + added + 0.001
        assert bool(turn.pressure.above) == (turn.pressure.rho > low and bool(
            turn.pressure.level == "renewal"
        ))  # fmt: skip
        assert all(str(one) in str(turn.pressure) for one in turn.pressure.above)
        assert ctx.turn().pressure == turn.pressure


def test_protected_parts_are_named(tmp_path: Path) -> None:
    """Where instructions alone take more than low water, that is what it says."""
    with plain(tmp_path / "w", window=4_000, reply=1_000) as ctx:
        ctx.system("careful " * 2_300)
        read(ctx, 1, 30)
        ctx.turn()
        ctx.renew()
        pressure = ctx.turn().pressure
        assert pressure.rho > loom.Policy().low_water
        assert "protected" in {one.what for one in pressure.above}
        assert "protected parts take 0." in str(pressure)


def opened_again(ctx: loom.Context, folder: Path) -> loom.Context:
    """The same workspace after a restart."""
    ctx.close()
    return loom.open(folder, durable=False)


@all_cases("steps", [3, 12])
@all_cases("ask", [lambda ctx: ctx.pressure, lambda ctx: ctx.turn().pressure])
@all_cases("again", [False, True])
def test_the_level_after_a_refusal_is_told(
    tmp_path: Path, steps: int, ask: Callable[[loom.Context], loom.Pressure], again: bool
) -> None:
    """Before the next turn and with it, in one process or after a restart; then it is over."""
    folder = tmp_path / "w"
    ctx = plain(folder, window=16_000)
    try:
        for number in range(steps):
            read(ctx, number, 80)
            ctx.turn()
        ctx.overflowed(TooLong(REFUSED))
        for _ in range(2):
            if again:
                ctx = opened_again(ctx, folder)
            pressure = ask(ctx)
            assert pressure.level in ("reactive", "renewal")
            assert f" · {pressure.level}" in str(pressure)
        ctx.turn()
        read(ctx, 90, 3)
        assert ctx.pressure.level in ("reactive", "renewal")
        assert ctx.turn().pressure.level in ("reactive", "renewal", "")
        read(ctx, 91, 3)
        assert ctx.turn().pressure.level == ""
    finally:
        ctx.close()
