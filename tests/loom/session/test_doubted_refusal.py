"""A refusal may lie: no count is lowered by one, and a limit others contradict is tried once."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import loom
from loom.providers.counts import counter_for
from tests.kit.cases import all_cases, each_value
from tests.kit.opened import Open, opened_with
from tests.kit.standins import TooLong

MODELS = ["", "gpt-4o", "openai/gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-pro"]
COUNT = counter_for("gpt-4o")
opened = opened_with("work", window=32_000)


def limit(tokens: int, more: str = "") -> TooLong:
    """A refusal that states a limit."""
    return TooLong(f"This model's maximum context length is {tokens} tokens.{more}", 400)


SMALL = limit(8_000)
LIE = limit(8_000, " However, your messages resulted in 9400 tokens.")


def numbers(salt: int, count: int) -> str:
    """A text of so many numbers that no other salt gives, of about two tokens each."""
    return f"{salt} " + " ".join(str(at * (7907 + salt) % 99_991) for at in range(count))


def own(turn: loom.Turn) -> int:
    """Tokens of a request in the encoding of OpenAI's models, its tools as they are sent."""
    request: Any = turn.request("openai")
    texts = [str(message["content"] or "") for message in request["messages"]]
    tools = [json.dumps(tool) for tool in request.get("tools", ())]
    return sum(COUNT.many(texts)) + 3 * len(texts) + sum(COUNT.many(tools))


def asked(ctx: loom.Context, salt: int, count: int) -> loom.Turn:
    """One more question that was answered."""
    ctx.user(numbers(salt, count))
    turn = ctx.turn()
    ctx.reply("ok")
    return turn


def long(ctx: loom.Context) -> None:
    """A session whose requests of up to 20,000 tokens were answered, and one more question."""
    for salt in range(8):
        asked(ctx, salt, 900)
    ctx.user("next")
    ctx.turn()


@all_cases(("model", "error"), each_value(MODELS, [LIE, SMALL]))
def test_later_requests_are_within_the_limit(opened: Open, model: str, error: TooLong) -> None:
    """Whatever a refusal says of the size, in our own count too."""
    ctx = opened(model=model)
    long(ctx)
    before = ctx.window.limits
    ctx.overflowed(error)
    assert ctx.window.limits.scale == before.scale
    for salt in range(9):
        turn = asked(ctx, 100 + salt, 300)
        assert own(turn) <= before.room
        assert own(turn) <= 8_000 or salt


@all_cases("model", MODELS)
def test_a_contradicted_limit_is_told_and_tried_once(opened: Open, model: str) -> None:
    """The next request keeps to it and says so; when that is answered the limits are as before."""
    ctx = opened(model=model)
    long(ctx)
    before = ctx.window.limits
    ctx.overflowed(SMALL)
    turn = ctx.turn()
    assert ctx.window.limits.window == 8_000
    assert own(turn) <= ctx.window.limits.room
    assert turn.pressure.doubted == 8_000 < turn.pressure.taken
    assert f"limit of 8,000 tried once: {turn.pressure.taken:,} tokens were" in str(turn.pressure)
    ctx.reply("ok")
    assert ctx.window.limits == before
    ctx.user("go on")
    assert ctx.turn().pressure.taken == 0


def test_a_limit_that_nothing_contradicts_is_kept(opened: Open) -> None:
    """It is what the provider said, for all that follows."""
    ctx = opened(model="gpt-4o")
    asked(ctx, 1, 900)
    ctx.user(numbers(2, 4_000))
    ctx.turn()
    ctx.overflowed(SMALL)
    assert ctx.turn().pressure.taken == 0
    ctx.reply("ok")
    assert ctx.window.limits.window == ctx.window.limits.stated == 8_000


@pytest.mark.parametrize("reply", [2_000, 8_000])
def test_a_named_reply_that_gave_way_to_a_limit_does_so_again(opened: Open, reply: int) -> None:
    """The same call opens the workspace as it was left, though it names the reply of before."""
    for _ in range(2):
        ctx = opened(reply=reply)
        if not ctx.window.limits.stated:
            ctx.user(numbers(3, 4_000))
            ctx.overflowed(SMALL)
            left = ctx.window.limits
        assert ctx.window.limits == left
        ctx.close()


def said_again(ctx: loom.Context) -> None:
    """A larger request is refused with it too, after the one that was answered within it."""
    ctx.overflowed(SMALL)
    ctx.turn()
    ctx.reply("ok")
    ctx.user(numbers(50, 4_000))
    ctx.turn()


def before_any_answer(ctx: loom.Context) -> None:
    """Nothing that followed the first refusal was taken."""
    ctx.overflowed(limit(10_000))
    ctx.turn()
    ctx.user("more")
    ctx.turn()


def of_another_model(ctx: loom.Context) -> None:
    """What one model took contradicts nothing that is said of another."""
    ctx.resize(32_000, model="gpt-4")
    ctx.turn()


@all_cases("before", [said_again, before_any_answer, of_another_model])
def test_a_limit_that_is_believed(opened: Open, before: Callable[[loom.Context], None]) -> None:
    """One said again, or with nothing taken since, or of a model that took nothing, is kept."""
    ctx = opened(model="gpt-4o")
    long(ctx)
    before(ctx)
    ctx.overflowed(SMALL)
    assert ctx.turn().pressure.taken == 0
    ctx.reply("ok")
    assert ctx.window.limits.window == 8_000


def test_a_smaller_request_refused_without_a_limit(opened: Open) -> None:
    """A larger one had been taken, so no size is kept as one that is refused."""
    ctx = opened(model="gpt-4o")
    long(ctx)
    ctx.renew()
    ctx.user("go on")
    size = ctx.turn().pressure.tokens.total
    ctx.overflowed(TooLong("Request Entity Too Large"))
    turn = ctx.turn()
    assert turn.pressure.tokens.total < size
    assert "refusal tried once" in str(turn.pressure)
    ctx.reply("ok")
    assert ctx.window.limits.refused == 0


def test_a_limit_that_leaves_no_room(opened: Open) -> None:
    """One that is contradicted and too small to be tried makes the next request smaller all the
    same."""
    ctx = opened(model="gpt-4o")
    long(ctx)
    size = ctx.turn().pressure.tokens.total
    ctx.overflowed(limit(400))
    assert ctx.turn().pressure.tokens.total < 0.8 * size
    ctx.reply("ok")
    assert ctx.window.limits.window == 32_000


def test_a_doubt_outlives_a_reopening(opened: Open) -> None:
    """The limit still is that of one request alone."""
    ctx = opened("doubt", model="gpt-4o")
    long(ctx)
    before = ctx.window.limits
    ctx.overflowed(SMALL)
    told = ctx.turn().pressure
    ctx.close()
    again = opened("doubt")
    assert again.turn().pressure == told
    again.reply(loom.Reply((loom.Speech("ok"),)))
    assert again.window.limits == before


LIES = [0, 1, -5, 10**9]
KNOWN = ["gpt-4o", "openai/gpt-5-mini"]


@all_cases(
    ("model", "report"),
    [*each_value(KNOWN, [*LIES, 0.1, 0.3, 0.6, 0.9]), *(("", one) for one in (*LIES, 0.38))],
)
def test_usage_that_lies(opened: Open, model: str, report: float) -> None:
    """Reports below a count that is exact, or below half of one that is not, let nothing in."""
    ctx = opened(model=model, window=8_192)
    for salt in range(9):
        ctx.user(numbers(salt, 300))
        turn = ctx.turn()
        assert own(turn) <= ctx.window.limits.room
        ctx.metered(int(report if report in LIES else own(turn) * report))
        ctx.reply("ok")
