"""Pins at tiny capacities: they stand as they are, or the error names them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.session.pressure import rho
from loom_partitions import laws
from loom_partitions.history import FOREVER
from loom_partitions.message import Step, UserTurn
from loom_partitions.records import Pinned, Renewed
from loom_partitions.window import Window, apply
from tests.kit.opened import plain
from tests.kit.step import call, step

WORDS = ("word ", "错误信息", "x9Kq2")


@pytest.fixture(scope="module")
def ctx(tmp_path_factory: pytest.TempPathFactory) -> loom.Context:
    """Lowered lines between entries in full, in a window larger than those it is tried in."""
    eager = replace(loom.PRESETS["eager"], own_tools=False)
    ctx = plain(tmp_path_factory.mktemp("pins") / "w", window=5_000, reply=200, policy=eager)
    ctx.pin("Never push to main.")
    for number in range(14):
        ctx.user(f"{number} " + WORDS[number % 3] * (4 + 9 * (number % 4)))
        step(ctx, f"{number} " + WORDS[number % 3] * (3 + 40 * (number % 3)))
        if number % 5 == 4:
            ctx.turn()
    return ctx


def tried(ctx: loom.Context, window: Window, target: int | None) -> Window:
    """The window a renewal leads to; nothing is committed."""
    relief = ctx._engine.cut_decision
    reserve = relief.notices.widest_tokens(window)
    made = relief.cutter.renew(window, reserve, lambda after, record: record, target)
    assert made is not None and isinstance(made.record, Renewed)
    return made.after


@given(data=st.data(), capacity=st.integers(512, 2_000))
def test_a_renewal_keeps_every_pin_or_names_one(
    ctx: loom.Context, data: st.DataObject, capacity: int
) -> None:
    """At any capacity, to any target: no law breaks, and OverCapacity has a partition and, where
    pins are the cause, their names."""
    window = ctx.window
    ids = [
        entry.id for entry in window.history.stream.entries if isinstance(entry, Step | UserTurn)
    ]
    for id in data.draw(st.lists(st.sampled_from(ids), max_size=6, unique=True)):
        window = apply(window, Pinned(id, FOREVER))
    window = replace(window, limits=replace(window.limits, window=capacity + 200))
    target = data.draw(st.none() | st.integers(0, capacity))
    kept = {entry for entry, _ in window.history.pins}
    before = {one.id: one for one in window.history.stream.entries if one.id in kept}
    try:
        after = tried(ctx, window, target)
    except loom.OverCapacity as error:
        assert error.partition in ("system", "working", "memory", "skill", "history")
        if sum(one.tokens for one in before.values()) > capacity:
            assert error.partition == "history" and "_00" in str(error) and "unpin" in str(error)
        return
    for one in after.history.stream.entries:
        if one.id in kept:
            was = before[one.id]
            assert (one.detail, one.line) == (was.detail, was.line)
    assert {one.id for one in after.history.stream.entries} >= kept
    assert after.memory.get("pinned") == window.memory.get("pinned")
    assert laws.bounded(after) == [] == laws.counted(after)
    if target is None:
        base = after.tokens.protected + sum(one.tokens for one in before.values())
        reserve = ctx._engine.notices.widest_tokens(after)
        need = base + reserve + sum(one.tokens for one in after.history.stream.unanswered)
        older = max(window.limits.capacity - need, 0) // 2  # a part of what is left beside it
        assert after.tokens.total + reserve <= max(window.low, need + older + 400)


def test_a_smaller_window_is_refused_by_the_name_of_the_pin(tmp_path: Path) -> None:
    """An entry, then a line: each is named, and letting go of it helps."""
    with plain(tmp_path / "w", window=6_000, reply=200) as ctx:
        id = step(ctx, 100)
        ctx.pin(id)
        ctx.turn()
        with pytest.raises(loom.OverCapacity, match=rf"step_{id:04d} .*unpin") as raised:
            ctx.resize(900, 200)
        assert raised.value.partition == "history"
        ctx.unpin(id)
        ctx.resize(900, 200)
        ctx.resize(6_000, 200)
        line = "Ask before anything that cannot be undone. " * 40
        ctx.pin(line)
        with pytest.raises(loom.OverCapacity, match=r"lines that are pinned: unpin") as raised:
            ctx.resize(720, 200)
        assert raised.value.partition == "memory"
        ctx.unpin(line)
        ctx.resize(720, 200)


def test_no_renewal_sheds_a_pinned_line(tmp_path: Path) -> None:
    """A refusal shrinks the window unasked: what is pinned is named, never left out."""
    with plain(tmp_path / "w", window=6_000, reply=200) as ctx:
        ctx.pin("Ask before anything that cannot be undone. " * 30)
        step(ctx, 100)
        ctx.turn()
        window = replace(ctx.window, limits=replace(ctx.window.limits, window=560))
        with pytest.raises(loom.OverCapacity, match="lines that are pinned"):
            tried(ctx, window, None)
        assert rho(ctx.window.tokens.total, ctx.window.limits) < 1
        call(ctx)
