"""Windows at their edges: stated limits, sizes, renewals and policies of every kind.

Whatever a host, a provider or a policy asks for, the next request fits its window, or OverCapacity
names what is in the way; then nothing has changed and the context goes on.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.policy import MARKS, PRESETS
from loom_paging import MemoryStore
from loom_partitions import laws
from loom_partitions.order import PROTECTION
from tests.kit.journal import lawful
from tests.kit.step import calls

WORDS = "alpha beta gamma delta epsilon zeta eta theta".split()
WINDOWS = (2_048, 3_000, 4_096, 8_192, 16_000, 32_000)


class TooLong(Exception):
    """What an SDK raises for a request that is too long."""

    status_code = 400

    def __init__(self, limit: int, size: int) -> None:
        told = f": {size} tokens > {limit} maximum" if size else ""
        stated = f", maximum context length is {limit} tokens" if limit and not size else ""
        super().__init__(f"prompt is too long{told}{stated}")


@cache
def text(salt: int, tokens: int) -> str:
    """A text no other salt gives, of about so many tokens."""
    words = Random(salt).choices(WORDS, k=max(tokens * 2 // 3, 1))
    return f"{salt}: " + "".join(
        word + ("\n" if at % 12 == 11 else " ") for at, word in enumerate(words)
    )


sizes = st.sampled_from([1, 20, 100, 400, 1_000, 2_500, 6_000])


@st.composite
def policies(draw: st.DrawFn) -> loom.Policy:
    """A preset, its marks where they may be."""
    preset = PRESETS[draw(st.sampled_from(sorted(PRESETS)))]
    if draw(st.booleans()):
        return preset
    marks = sorted(draw(st.floats(0.01, 1.0)) for _ in MARKS)
    low = draw(st.floats(0.0, marks[0], exclude_max=True))
    return replace(preset, low_water=low, **dict(zip(MARKS, marks, strict=True)))


acts = st.one_of(
    st.tuples(st.just("user"), sizes),
    st.tuples(st.just("step"), sizes),
    st.tuples(st.just("step"), sizes),
    st.tuples(st.just("pair"), sizes),
    st.tuples(st.just("remember"), sizes),
    st.tuples(st.just("system"), sizes),
    st.tuples(st.just("skill"), sizes),
    st.tuples(st.just("tool"), sizes),
    st.tuples(st.just("goal"), sizes),
    st.tuples(st.just("plan"), sizes),
    st.tuples(st.just("pin line"), sizes),
    st.tuples(st.just("pin entry"), st.integers(0, 3)),
    st.tuples(st.just("turn"), st.just(0)),
    st.tuples(st.just("renew"), st.one_of(st.none(), st.integers(0, 100_000))),
    st.tuples(st.just("resize"), st.integers(600, 40_000)),
    st.tuples(
        st.just("overflowed"),
        st.tuples(
            st.one_of(st.just(0), st.integers(300, 32_000)),
            st.one_of(st.just(0), st.integers(1, 40_000)),
        ),
    ),
)


def do(ctx: loom.Context, number: int, what: str, how: Any) -> None:
    """One act of a host, a model or a provider."""
    entry = ctx.window.history.next_id
    if what in ("step", "pair"):
        ids = [f"c{number}-{part}" for part in range(1 + (what == "pair"))]
        ctx.reply(calls(*ids))
        for part, id in enumerate(ids):
            ctx.result(id, text(number * 10 + part, how))
    elif what == "pin entry":
        standing = [one.id for one in ctx.window.history.stream.entries][-4:]
        ctx.pin(standing[how % len(standing)] if standing else entry)
    elif what == "overflowed":
        ctx.overflowed(TooLong(*how))
    elif what == "tool":
        ctx.tools.declare({"name": f"t{number}", "description": text(number, how)})
    else:
        table: dict[str, Any] = {
            "user": lambda: ctx.user(text(number, how)),
            "remember": lambda: ctx.memory.remember(f"m{number % 3}", text(number, how)),
            "system": lambda: ctx.system(text(number, how), f"s{number % 2}"),
            "skill": lambda: ctx.skills.activate(f"k{number % 3}", text(number, how)),
            "goal": lambda: ctx.working.set_goal(text(number, how)),
            "plan": lambda: ctx.working.plan([text(number + at, how // 4) for at in range(5)]),
            "pin line": lambda: ctx.pin(text(number, min(how, 300)).replace("\n", " ")),
            "renew": lambda: ctx.renew(how),
            "resize": lambda: ctx.resize(how),
            "turn": ctx.turn,
        }
        table[what]()


@settings(max_examples=60)
@given(
    policy=policies(),
    window=st.sampled_from(WINDOWS),
    told=st.lists(acts, min_size=1, max_size=22),
)
def test_it_fits_or_says_what_is_in_the_way(
    policy: loom.Policy, window: int, told: list[tuple[str, Any]]
) -> None:
    """Every act leaves a lawful window and a request that fits, or is refused and leaves all."""
    try:
        ctx = loom.open(MemoryStore(), window=window, policy=policy)
    except loom.OverCapacity as error:
        assert error.partition in PROTECTION
        return
    with ctx:
        for number, (what, how) in enumerate(told):
            before, commits = ctx.window, ctx._engine.workspace.commits
            try:
                do(ctx, number, what, how)
            except loom.OverCapacity as error:
                assert error.partition in PROTECTION
                if what not in ("step", "pair"):
                    assert ctx.window is before
                    assert ctx._engine.workspace.commits == commits
            except loom.LoomError as error:
                assert what == "pin entry", repr(error)  # one no cut left standing
            assert lawful(ctx) == []
            turn = ctx.turn()
            assert laws.bounded(ctx.window) == []
            assert turn.pressure.tokens.total <= turn.pressure.capacity
            assert turn.request("openai")
