"""Large requests are cut early, and deep, when that pays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

import loom
from loom.engine.notices import DELTA_TOKENS
from loom.policy import PRESETS, Policy
from loom.providers.counts.sizes import MESSAGE
from loom_partitions.records import Compressed, Renewed

POLICY = PRESETS["lazy"]
WINDOW, REPLY = 110_000, 10_000  # a capacity of 100,000 tokens
SMALL = 72_000  # a window that never holds a large request below its marks


class Cut(Struct, frozen=True):
    """One cut: its level, the tokens before and after, and what of it was protected."""

    level: str
    before: int
    after: int
    protected: int


def session(
    folder: Path, window: int, reply: int, steps: int, policy: Policy = POLICY
) -> list[Cut]:
    """The cuts of a session of readings of about 1,500 tokens each, a request after every one."""
    cuts: list[Cut] = []

    def on_cut(cut: Compressed | Renewed) -> None:
        before, after = cut.certificate.before, cut.certificate.after
        level = cut.level if isinstance(cut, Compressed) else "renewal"
        cuts.append(Cut(level, before.total, after.total, before.protected))

    with loom.open(
        folder,
        window=window,
        reply=reply,
        policy=replace(policy, own_tools=False),
        on_cut=on_cut,
        durable=False,
    ) as ctx:
        ctx.user("Read all of it.")
        for number in range(steps):
            lines = (f"line {n} of part {number}, and some more words\n" for n in range(110))
            path = json.dumps({"path": f"src/part_{number}.py"})
            call = loom.ToolCall(f"c{number}", "Read", path)
            ctx.reply(loom.Reply((call,)))
            ctx.result(call, "".join(lines))
            assert ctx.turn().pressure.rho < 1.0
    return cuts


def test_a_large_request_is_cut_early_and_deep(tmp_path: Path) -> None:
    """From the lean mark on it comes down to so much of history, time after time."""
    cuts = session(tmp_path / "w", WINDOW, REPLY, 130)
    assert len(cuts) > 1
    capacity = WINDOW - REPLY
    for cut in cuts:
        assert cut.level == "collapse"
        pressed = cut.before + DELTA_TOKENS + MESSAGE  # ρ counts the notice of the turn
        assert POLICY.lean_at * capacity <= pressed < POLICY.collapse_at * capacity
        assert cut.before >= POLICY.lean_from
        assert cut.after <= cut.protected + POLICY.lean


@pytest.mark.exact
@pytest.mark.parametrize(("window", "reply"), [(SMALL, 8_000), (32_000, 8_000)])
def test_a_small_request_is_not(tmp_path: Path, window: int, reply: int) -> None:
    """Below `lean_from` tokens no cut goes deeper than low water for its size alone."""
    cuts = session(tmp_path / "w", window, reply, 70)
    assert cuts
    assert all(cut.before < POLICY.lean_from for cut in cuts)
    assert all(cut.after > cut.protected + POLICY.lean or window < SMALL for cut in cuts)
    assert all(cut.after > (window - reply) * 0.5 for cut in cuts)
    assert not any(cut.level == "renewal" for cut in cuts)


def test_a_lean_cut_has_to_pay(tmp_path: Path) -> None:
    """Where it costs nothing to send a token again, a large request waits for the collapse mark."""
    free = replace(POLICY, read_price=0.0)
    (first, *_) = session(tmp_path / "w", WINDOW, REPLY, 80, free)
    assert first.before >= POLICY.collapse_at * (WINDOW - REPLY) - 2_000
    assert first.after > first.protected + POLICY.lean


@pytest.mark.parametrize(
    "policy",
    [replace(POLICY, lean_from=1_000_000), replace(POLICY, lean_at=0.85)],
    ids=["never so large", "later"],
)
def test_the_marks_are_the_policys(tmp_path: Path, policy: Policy) -> None:
    """How large a request has to be, and at which pressure, is the policy's to say."""
    cuts = session(tmp_path / "w", WINDOW, REPLY, 80, policy)
    deep = [cut for cut in cuts if cut.after <= cut.protected + policy.lean]
    assert all(cut.before >= policy.lean_at * (WINDOW - REPLY) - 2_000 for cut in deep)
    assert all(cut.before >= policy.lean_from for cut in deep)
    assert cuts


def test_a_lean_cut_never_stays_above_low_water(tmp_path: Path) -> None:
    """What it comes down to is the lower of the two."""
    with loom.open(
        tmp_path / "w", window=WINDOW, reply=REPLY, policy=loom.Policy(own_tools=False)
    ) as ctx:
        cutter = ctx._engine.relief.cutter
        window = ctx.window
        protected = window.tokens.protected
        assert cutter._lean(window, None) == protected + POLICY.lean
        assert cutter._lean(window, protected + 5_000) == protected + 5_000
    with loom.open(
        tmp_path / "v", window=20_000, reply=4_000, policy=loom.Policy(own_tools=False)
    ) as ctx:
        low = ctx.window.target
        assert ctx._engine.relief.cutter._lean(ctx.window, None) == low
