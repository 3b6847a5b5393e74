"""A new result never takes more room than its raw text, and shows no line twice."""

from __future__ import annotations

from random import Random

import pytest

import loom
from loom_partitions import laws
from loom_partitions.message import Step
from tests.kit.opened import Open, opened_with
from tests.kit.step import act, last_step

opened = opened_with(window=8_192)
WORDS = ["auth", "token", "refresh", "parser", "cache", "page", "window", "error", "failed"]


def log(lines: int) -> str:
    """Dated lines of a log, each of about forty characters, with words that come again."""
    random = Random(1)
    return "".join(
        f"2026-01-0{n % 9 + 1} INFO {' '.join(random.sample(WORDS, 4))} id={n}\n"
        for n in range(lines)
    )


def raw(ctx: loom.Context, text: str) -> int:
    """Tokens of a text as it would stand whole."""
    return ctx._engine.sizes.count(text)


def first(ctx: loom.Context, text: str) -> Step:
    """The first step with this result, after the turn that sends it."""
    ctx.turn()
    act(ctx, "Bash", {"command": "make"}, text)
    ctx.turn()
    return last_step(ctx)


def taken(step: Step) -> int:
    """Tokens of a step's results and of what stands beside them."""
    return sum(o.text.tokens for o in step.outcomes) + sum(p.text.tokens for p in step.beside)


def test_a_small_result_stands_as_it_came(opened: Open) -> None:
    """Nothing was reduced, so nothing is put in its place."""
    step = first(opened(), log(5))
    assert [one.text.body for one in step.outcomes] == [log(5)]
    assert step.beside == ()


@pytest.mark.parametrize("text", [log(120), "".join(f"l {n} 0\n" for n in range(300))])
def test_a_result_with_room_stands_whole(opened: Open, text: str) -> None:
    """It came in as a preview; before it is sent the whole takes its place, and nothing beside."""
    ctx = opened()
    step = first(ctx, text)
    (outcome,) = step.outcomes
    assert outcome.text.whole
    assert outcome.text.tokens == taken(step) == raw(ctx, text)
    (message,) = (m for m in ctx.turn().request("openai")["messages"] if m["role"] == "tool")
    assert message["content"].count("id=77\n") == text.count("id=77\n")
    assert laws.counted(ctx.window) == laws.bounded(ctx.window) == []
    again = ctx.window
    assert opened().window.history == again.history


@pytest.mark.parametrize("lines", [800, 1_500])
def test_beside_a_preview_comes_no_line_twice(opened: Open, lines: int) -> None:
    """Where the whole has no room, the two take no more than it, and no line is in both."""
    ctx = opened()
    step = first(ctx, log(lines))
    assert not step.outcomes[0].text.whole
    assert taken(step) <= raw(ctx, log(lines))
    (message,) = (m for m in ctx.turn().request("openai")["messages"] if m["role"] == "tool")
    shown = [
        one.rpartition("id=")[2].split()[0]
        for one in message["content"].split("\n")
        if "id=" in one
    ]
    assert len(shown) == len(set(shown))


def test_what_is_to_stand_short_stays_short(opened: Open) -> None:
    """`compact_above` asks for so many characters: room for more is no reason."""
    ctx = opened(policy=loom.Policy(compact_above=1_000))
    assert not first(ctx, log(120)).outcomes[0].text.whole
