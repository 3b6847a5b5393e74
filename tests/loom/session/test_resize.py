"""A window moves: refused by a provider, resized by the host, opened with another size or model."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import loom
from loom.providers.counts import counter_for
from loom.replay.audit import message_tokens
from tests.kit.cases import all_cases
from tests.kit.journal import commits
from tests.kit.opened import PLAIN, Open, opened_with, plain
from tests.kit.standins import TooLong
from tests.kit.step import step

WORDS = [name + str(number) for name in ("alpha", "beta", "gamma", "zeta") for number in range(9)]
GEORGIAN = "ჩვენ უნდა გამოვასწოროთ შესვლის მოდულის შეცდომა. "


def refused(size: int, most: int) -> TooLong:
    """What a provider says of a request of that size."""
    return TooLong(f"prompt is too long: {size} tokens > {most} maximum", 400)


@cache
def text(salt: int, words: int) -> str:
    """A text no other salt gives, of about two tokens a word."""
    return f"{salt}: " + " ".join(Random(salt).choices(WORDS, k=words))


# 128,000 tokens the first time, as it is later.
opened = opened_with("work", window=128_000, model="gpt-5", policy=PLAIN)


def filled(ctx: loom.Context, steps: int = 40, words: int = 600) -> dict[int, str]:
    """Give it a user's turn and some steps; every result by its entry."""
    ctx.system("be careful")
    ctx.user("Build every part. 请小心。")
    texts = {}
    for number in range(steps):
        texts[ctx.window.history.next_id] = text(number, words)
        step(ctx, texts[ctx.window.history.next_id], said=f"Part {number}.")
    return texts


def test_refused_twice(opened: Open, folder: Path) -> None:
    """A second refusal of one request raises and stores nothing; after a reply it counts again."""
    ctx = opened()
    filled(ctx)
    ctx.overflowed(refused(ctx.turn().pressure.tokens.total + 1_000, 70_000))
    ctx.turn()
    before, window = commits(folder), ctx.window
    with pytest.raises(loom.OverCapacity):
        ctx.overflowed(refused(70_001, 70_000))
    assert commits(folder) == before
    assert ctx.window is window
    step(ctx, "fine")
    less = ctx.turn().pressure.tokens.total
    ctx.overflowed(refused(65_000, 60_000))
    assert ctx.turn().pressure.tokens.total < less
    assert ctx.window.limits.window == 60_000


# ---- another model
def true_size(turn: loom.Turn, model: str) -> int:
    """Tokens of a request's messages in the model's own encoding."""
    count = counter_for(model)
    assert count.exact
    return sum(message_tokens(message, count) for message in turn.request("openai")["messages"])


@pytest.mark.exact
def test_a_model_of_another_encoding_in_a_tight_window(opened: Open) -> None:
    """Where the other vocabulary needs more than the window has, the resize cuts at once."""
    ctx = opened(window=16_000)
    ctx.user("go on")
    for number in range(24):
        step(ctx, f"{number} " + GEORGIAN * 16)
    before = ctx.turn().pressure.tokens.total
    ctx.resize(16_000, model="gpt-4")
    turn = ctx.turn()
    assert turn.pressure.tokens.total < before
    assert true_size(turn, "gpt-4") <= ctx.window.limits.room


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("smaller", {"window": 8_192}),
    ("larger", {"window": 200_000}),
    ("reply", {"window": 32_000, "reply": 2_000}),
    ("model", {"window": 128_000, "model": "gpt-4"}),
    ("both", {"window": 16_000, "model": "claude-sonnet-4-5"}),
]


@all_cases(("name", "given"), CHANGES, ids=[change[0] for change in CHANGES])
def test_reopened_with_a_change(tmp_path: Path, name: str, given: dict[str, Any]) -> None:
    """A reopen with another size or model does what a resize does, and it stays done."""
    sizes = []
    for way in ("resize", "reopen"):
        folder = tmp_path / way
        with plain(folder, window=128_000, model="gpt-5") as ctx:
            texts = filled(ctx, 20)
            ctx.turn()
            if way == "resize":
                ctx.resize(**given)
                sizes.append((ctx.window.limits, ctx.window.config.model, ctx.turn().pressure))
        if way == "reopen":
            with loom.open(
                folder, policy=loom.Policy(own_tools=False), durable=False, **given
            ) as ctx:
                assert ctx.pressure.rho < 1.0
                sizes.append((ctx.window.limits, ctx.window.config.model, ctx.turn().pressure))
        with plain(folder) as ctx:
            assert ctx.window.limits.window == given["window"]
            assert all(
                body in ctx.history.restore(id).results.values() for id, body in texts.items()
            )
    assert sizes[0] == sizes[1]
