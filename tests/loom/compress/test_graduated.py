"""The policy "graduated": each level acts at the mark the documents give it, down to low water."""

from __future__ import annotations

from itertools import count

import pytest

import loom
from loom_partitions.message import Detail, Step
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.step import act

WINDOW = 16_000
LONG = "line {n} of the listing {number}, which nobody reads twice\n"


def filled(ctx: loom.Context, rho: float, lines: int = 60) -> None:
    """Read files, one of them over and over, until a request would be as full as that."""
    for number in count():
        if ctx.pressure.rho >= rho:
            return
        name = "same" if number % 3 == 0 else str(number)
        near = ctx.pressure.rho > rho - 0.08  # short ones at last, not to pass by the mark
        text = "".join(LONG.format(n=n, number=name) for n in range(10 if near else lines))
        act(ctx, "Read", {"path": f"src/{name}.txt"}, text)


@pytest.fixture
def graduated(opened: Open) -> loom.Context:
    """A context that compresses at the documented marks."""
    return opened(window=WINDOW, policy="graduated")


def test_below_the_first_mark_nothing_is_cut(graduated: loom.Context) -> None:
    """At ρ 0.60 the request is all that came in."""
    filled(graduated, 0.60)
    turn = graduated.turn()
    assert turn.pressure.level == ""
    assert graduated.window.sent.cuts == 0


@all_cases(
    ("rho", "level"),
    [(0.71, "snip"), (0.81, "micro"), (0.91, "collapse"), (0.955, "auto"), (1.01, "renewal")],
)
def test_a_level_acts_at_its_mark(graduated: loom.Context, rho: float, level: str) -> None:
    """The highest crossed level cuts, whatever the cache would have to write anew."""
    filled(graduated, rho)
    assert graduated.turn().pressure.level == level


def test_a_cut_goes_down_to_low_water(graduated: loom.Context) -> None:
    """The documented low water is 0.60, and what is read ahead comes on top, told as such."""
    filled(graduated, 0.91)
    graduated.turn()
    window = graduated.window
    assert window.target == int(window.limits.capacity * 0.60)
    assert graduated.pressure.rho <= 0.60 + loom.PRESETS["graduated"].back_share


def test_snip_truncates_texts_over_2000_characters(graduated: loom.Context) -> None:
    """Only texts that are longer are shortened, each keeps head and tail and names its page."""
    filled(graduated, 0.71)
    graduated.turn()
    steps = [e for e in graduated.window.history.stream.entries if isinstance(e, Step)]
    snipped = [s.outcomes[0].text for s in steps if s.outcomes[0].text.body is not None]
    shortened = [text for text in snipped if len(text.body or "") < text.size]
    assert shortened
    assert all(text.size > 2_000 and text.page in (text.body or "") for text in shortened)
    assert all(step.detail is Detail.FULL for step in steps[-3:])


def test_short_texts_leave_snip_nothing(opened: Open) -> None:
    """A level that frees nothing gives way: at 0.71 nothing is cut, at 0.91 collapse does it."""
    ctx = opened(window=WINDOW, policy="graduated")
    filled(ctx, 0.71, lines=20)
    assert ctx.turn().pressure.level == ""
    filled(ctx, 0.91, lines=20)
    assert ctx.turn().pressure.level == "collapse"
