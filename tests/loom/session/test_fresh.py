"""Windows at their edges, and the request after a renewal a host asked for."""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.policy import MARKS, PRESETS
from loom_paging import MemoryStore
from loom_partitions.message import Step, UserTurn
from tests.kit.opened import PLAIN, plain
from tests.kit.standins import TooLong
from tests.kit.step import act, step


def source(number: int, lines: int) -> str:
    """A file of its own."""
    return "".join(f"value_{number}_{n} = compute_{n}({number})\n" for n in range(lines))


def filled(ctx: loom.Context, sizes: list[int]) -> None:
    """Files that are read, and at the end a step that names them all."""
    for number, lines in enumerate(sizes):
        act(ctx, "Read", {"path": f"src/part_{number}.py"}, source(number, lines))
    named = " ".join(f"src/part_{number}.py" for number in range(len(sizes)))
    act(ctx, "Bash", {"command": f"wc {named}"}, "ok")


def ahead(ctx: loom.Context) -> int:
    """How many texts were read ahead and stand in the window."""
    entries = list(ctx.window.history.stream.entries)
    alone = sum(isinstance(entry, UserTurn) and entry.source != "" for entry in entries)
    return alone + sum(len(entry.beside) for entry in entries if isinstance(entry, Step))


@given(
    st.lists(st.integers(1, 120), min_size=1, max_size=10),
    st.lists(st.integers(300, 8_000), min_size=1, max_size=3),
)
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_whatever_came_in(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], asked: list[int]
) -> None:
    """Renewal after renewal, each request keeps to the number of its renewal."""
    with plain(tmp_path_factory.mktemp("fresh") / "w", window=32_000) as ctx:
        for history in asked:
            filled(ctx, sizes)
            ctx.turn()
            ctx.renew(history=history)
            ctx.turn()
            assert ctx.window.tokens.history <= history


def test_a_renewal_that_nobody_asked_for_binds_nothing(tmp_path: Path) -> None:
    """A window that was renewed because it was full is not fresh once its request is made."""
    with plain(tmp_path / "w", window=8_000) as ctx:
        filled(ctx, [60] * 12)
        assert ctx.pressure.rho >= 1.0
        assert not ctx.window.sent.fresh
        ctx.turn()
        assert ctx.window.sent.generation == 2
        assert not ctx.window.sent.fresh
        act(ctx, "Bash", {"command": "wc src/part_3.py src/part_4.py"}, "ok")
        ctx.turn()
        assert ahead(ctx) > 0


def test_a_window_opened_again_is_still_fresh(tmp_path: Path) -> None:
    """A renewal binds the next request, whichever process makes it."""
    folder = tmp_path / "w"
    with plain(folder, window=32_000) as ctx:
        filled(ctx, [60] * 10)
        ctx.renew(history=1_500)
    with plain(folder) as ctx:
        assert ctx.window.sent.fresh
        ctx.turn()
        assert ctx.window.tokens.history <= 1_500
        assert ahead(ctx) == 0


WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]


def refusal(limit: int, size: int) -> TooLong:
    """What a provider says of a request, with its size or without, with its limit or without."""
    told = f": {size} tokens > {limit} maximum" if size else ""
    stated = f", maximum context length is {limit} tokens" if limit and not size else ""
    return TooLong(f"prompt is too long{told}{stated}", 400)


@cache
def text(salt: int, tokens: int) -> str:
    """A text no other salt gives, of about so many tokens."""
    words = Random(salt).choices(WORDS, k=max(tokens * 2 // 3, 1))
    return f"{salt}: " + "".join(
        word + ("\n" if at % 12 == 11 else " ") for at, word in enumerate(words)
    )


def read(ctx: loom.Context, number: int, tokens: int) -> None:
    """A step with a result of that many tokens."""
    step(ctx, text(number, tokens), tool="Read")


def test_a_limit_below_the_head_is_refused_by_name() -> None:
    """Memory and a skill of a thousand tokens each, and a provider that takes 600: typed, nothing
    changed, and a limit of 3,000 is gone down to."""
    with loom.open(MemoryStore(), window=8_192, reply=4_096) as ctx:
        ctx.user("Find the fault.")
        ctx.memory.remember("rules", text(1, 1_000))
        ctx.skills.activate("k", text(2, 1_000))
        before = ctx.turn()
        window = ctx.window
        with pytest.raises(loom.OverCapacity) as caught:
            ctx.overflowed(refusal(600, ctx.window.tokens.total))
        assert caught.value.partition == "skill"
        assert ctx.window is window and ctx.turn().sha256 == before.sha256
        for number in range(4):
            ctx.turn()
            read(ctx, number, 300)
        ctx.turn()
        ctx.overflowed(refusal(3_000, ctx.window.tokens.total))
        assert ctx.turn().pressure.rho <= 1.0


def test_a_goal_that_leaves_no_room_is_refused() -> None:
    """In a window its head nearly fills: before it, any turn after would have been refused."""
    with loom.open(MemoryStore(), window=1_200, reply=300) as ctx:
        with pytest.raises(loom.OverCapacity, match="shorter goal"):
            ctx.working.set_goal(text(1, 2_500))
        assert ctx.working.goal == ""
        read(ctx, 1, 1_000)
        ctx.user(text(2, 1_000))
        assert ctx.turn().pressure.rho <= 1.0


def test_a_mark_below_the_head_ends() -> None:
    """A policy whose renewals are due at any size: a change of size makes one of them."""
    policy = replace(PLAIN, low_water=0.0, **dict.fromkeys(MARKS, 0.01))
    with loom.open(MemoryStore(), window=32_000, policy=policy) as ctx:
        read(ctx, 1, 2_000)
        ctx.turn()
        generation = ctx.window.sent.generation
        ctx.resize(16_000)
        assert ctx.window.sent.generation <= generation + 1
        assert ctx.turn().request("openai")


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_the_steepest_decay_has_a_worth(preset: str) -> None:
    """A decay at the most it may be, of what is used again and again: numbers stay finite."""
    policy = replace(PRESETS[preset], ageing="log", decay=1_000.0)
    with loom.open(MemoryStore(), window=4_096, policy=policy) as ctx:
        for number in range(14):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Read", '{"path": "a.py"}'),)))
            ctx.result(f"c{number}", "a.py is read again\n" + text(1, 300))
            assert ctx.turn().pressure.rho <= 1.0
