"""What providers report of a request's size leads from counted tokens to theirs, and governs ρ."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

import loom
from loom.engine.archive.reading import Reader
from loom.engine.meter import calibration
from loom.engine.pressure import Pressure
from loom.providers.render.render import LEAST, request
from loom_partitions import laws
from loom_partitions.message import UserTurn
from tests.kit.cases import all_cases, each_value
from tests.kit.opened import PLAIN, Open, opened_with

WORDS = ("alpha", "beta", "gamma", "delta", "日志", "修复", "naïve", "x9Kq2")
ARGS = '{"command":"make all"}'


def chat(id: str, tokens: Any, model: str) -> dict[str, Any]:
    """A Chat reply with one call that reports the size of its request."""
    call = {"id": id, "type": "function", "function": {"name": "Bash", "arguments": ARGS}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": 5},
    }


def claude(id: str, tokens: Any, model: str) -> dict[str, Any]:
    """A reply of Anthropic: what was cached is reported apart."""
    cached = tokens // 2
    return {
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}}],
        "usage": {
            "input_tokens": tokens - cached - cached // 3,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": cached // 3,
            "output_tokens": 5,
        },
    }


def responses(id: str, tokens: Any, model: str) -> dict[str, Any]:
    """A Responses reply."""
    item = {"type": "function_call", "call_id": id, "name": "Bash", "arguments": ARGS}
    return {
        "object": "response",
        "status": "completed",
        "model": model,
        "output": [{**item, "id": f"fc_{id}", "status": "completed"}],
        "usage": {
            "input_tokens": tokens,
            "input_tokens_details": {"cached_tokens": tokens // 2},
            "output_tokens": 5,
        },
    }


def gemini(id: str, tokens: Any, model: str) -> dict[str, Any]:
    """A reply of Gemini."""
    call = {"function_call": {"id": id, "name": "Bash", "args": {"command": "make"}}}
    return {
        "model_version": model,
        "candidates": [
            {"index": 0, "finish_reason": "STOP", "content": {"role": "model", "parts": [call]}}
        ],
        "usage_metadata": {
            "prompt_token_count": tokens,
            "cached_content_token_count": tokens // 2,
            "candidates_token_count": 5,
        },
    }


SHAPES = {"chat": chat, "claude": claude, "responses": responses, "gemini": gemini}


class Provider:
    """A provider that counts exactly `ratio` per counted token, and `hidden` on top."""

    def __init__(self, ratio: float, hidden: int, shape: Callable[..., Any] = chat) -> None:
        self.ratio = ratio
        self.hidden = hidden
        self.shape = shape
        self.random = Random(7)
        self.made = 0

    def size(self, turn: loom.Turn) -> int:
        """The true size of a request."""
        return int(turn.pressure.tokens.total * self.ratio + self.hidden)

    def answers(self, ctx: loom.Context, turn: loom.Turn, report: Any = None) -> None:
        """A reply with its usage (or another report), and the result of its call."""
        self.made += 1
        id = f"c{self.made}"
        size = self.size(turn) if report is None else report
        ctx.reply(self.shape(id, size, ctx.window.config.model))
        ctx.result(id, self.text(self.random.randrange(10, 160)))

    def text(self, words: int) -> str:
        """A text of so many words."""
        return " ".join(
            f"{self.random.choice(WORDS)}{self.random.randrange(999)}" for _ in range(words)
        )

    def steps(self, ctx: loom.Context, count: int) -> Iterator[loom.Turn]:
        """Every turn of `count` steps."""
        for _ in range(count):
            turn = ctx.turn()
            yield turn
            self.answers(ctx, turn)


# Fresh workspaces of 64,000 tokens; a name is for a reopen.
opened = opened_with("", window=64_000, policy=PLAIN)


def tight(pressure: Pressure, ctx: loom.Context) -> bool:
    """Whether ρ is the bound over the room, and the bound holds the estimate."""
    room = ctx.window.limits.window - ctx.window.limits.reply
    return pressure.bound >= pressure.estimate >= 0 and pressure.rho == pytest.approx(
        pressure.bound / room, rel=1e-6
    )


@all_cases("model", ["gpt-5", "gpt-5-mini", "gpt-4o", "gpt-4", "gpt-4.1", "o3"])
def test_nothing_reported(opened: Open, model: str) -> None:
    """Where the encoding is the model's own, the counted size is estimate and bound at once."""
    ctx = opened(model=model)
    ctx.system("be careful")
    ctx.user("go on, 请继续")
    for turn in Provider(1.0, 0).steps(ctx, 1):
        pressure = turn.pressure
        assert pressure.estimate == pressure.bound == pressure.tokens.total > 0
        assert (pressure.ratio, pressure.hidden) == (1.0, 0)
        assert tight(pressure, ctx)


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "mistral-large", "gemini-2.5-pro"])
def test_nothing_reported_of_a_foreign_encoding(opened: Open, model: str) -> None:
    """Where it is not, the bound leaves a margin above the counted size."""
    ctx = opened(model=model)
    ctx.user("go on " * 200)
    pressure = ctx.turn().pressure
    assert pressure.bound > pressure.tokens.total
    assert tight(pressure, ctx)


@all_cases("shape", SHAPES)
def test_every_reply_is_a_sample(opened: Open, shape: str) -> None:
    """Every provider's usage, cached tokens included, is kept with the size it was counted at."""
    ctx = opened()
    ctx.user("go on")
    provider = Provider(1.3, 800, SHAPES[shape])
    for number, turn in enumerate(provider.steps(ctx, 4), 1):
        before = len(ctx.window.sent.samples)
        assert before == number - 1
        size = turn.pressure.tokens.total
        truth = provider.size(turn)
        if before:
            last = ctx.window.sent.samples[-1]
            assert last.tokens < size
            assert last.reported < truth
    sample = ctx.window.sent.samples[-1]
    assert (sample.tokens, sample.reported) == (size, truth)


def test_the_sample_is_of_the_request_that_was_made(opened: Open) -> None:
    """What comes in between turn and reply does not count as sent."""
    ctx = opened()
    ctx.user("go on")
    turn = ctx.turn()
    ctx.user("one more thing " * 300)
    ctx.reply(chat("a", 4_321, ""))
    assert ctx.window.sent.samples[-1].tokens == turn.pressure.tokens.total
    assert ctx.window.sent.samples[-1].reported == 4_321


PROVIDERS = [
    (model, ratio, hidden)
    for model in ("gpt-5", "claude-sonnet-4-5", "")
    for ratio, hidden in ((1.0, 0), (1.3, 800), (0.8, 2_000), (1.9, 50))
]


@all_cases(("model", "ratio", "hidden"), PROVIDERS)
def test_a_provider_is_learned(opened: Open, model: str, ratio: float, hidden: int) -> None:
    """After twelve turns the next request is known within 2 %, the ratio within 0.05."""
    ctx = opened(model=model)
    ctx.system("be careful")
    ctx.user("go on")
    provider = Provider(ratio, hidden)
    for turn in provider.steps(ctx, 12):
        assert tight(turn.pressure, ctx)
    turn = ctx.turn()
    truth = provider.size(turn)
    assert turn.pressure.estimate == pytest.approx(truth, rel=0.02)
    assert turn.pressure.ratio == pytest.approx(ratio, abs=0.05)
    assert truth <= turn.pressure.bound <= truth * 1.15
    if hidden >= 800 and not (model.startswith("claude") and ratio < 1):
        assert turn.pressure.hidden == pytest.approx(hidden, rel=0.2)
    assert turn.pressure.hidden >= 0


def test_a_hidden_prompt_stays_known(opened: Open) -> None:
    """A prompt the provider adds is told once growth shows it, and from then on."""
    ctx = opened(model="claude-sonnet-4-5")
    ctx.user("go on")
    told = [turn.pressure.hidden for turn in Provider(0.8, 2_000).steps(ctx, 24)]
    assert told[12:] == pytest.approx([2_000] * 12, rel=0.2)


@pytest.mark.parametrize(("ratio", "hidden"), [(1.3, 800), (0.8, 400)])
def test_no_request_is_ever_too_long(opened: Open, ratio: float, hidden: int) -> None:
    """Through 150 steps with cuts the true size never passes window less reply."""
    ctx = opened(window=8_192, model="claude-sonnet-4-5")
    ctx.user("go on")
    provider = Provider(ratio, hidden, claude)
    for turn in provider.steps(ctx, 150):
        assert provider.size(turn) <= ctx.window.limits.room
        assert turn.pressure.rho <= 1.0
        assert tight(turn.pressure, ctx)
    assert ctx.window.sent.cuts >= 2
    assert turn.pressure.ratio == pytest.approx(ratio, abs=0.05)


def test_a_calibrated_window_is_used(opened: Open) -> None:
    """A provider that counts less lets more in before a cut than one that counts more."""
    most = {}
    for ratio in (0.8, 1.6):
        ctx = opened(window=8_192)
        ctx.user("go on")
        most[ratio] = max(t.pressure.tokens.total for t in Provider(ratio, 0).steps(ctx, 45))
        assert ctx.window.sent.cuts
    assert most[0.8] > 1.5 * most[1.6]


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", ""])
def test_metered_is_usage(opened: Open, model: str) -> None:
    """`metered` leads to the same pressure as usage in the provider's own reply."""
    by_usage, by_hand = opened(model=model), opened(model=model)
    one, two = Provider(1.3, 800), Provider(1.3, 800)
    for number in range(6):
        first, second = by_usage.turn(), by_hand.turn()
        assert first.pressure == second.pressure
        assert by_usage.window.sent.samples == by_hand.window.sent.samples
        assert len(by_hand.window.sent.samples) == number
        one.answers(by_usage, first)
        by_hand.metered(two.size(second))
        two.answers(by_hand, second, report=0)


SIZE = (800).to_bytes(4, "big") + (2_000).to_bytes(4, "big") + bytes((8, 0, 0, 0, 0))
PICTURE = (
    b"\x89PNG\r\n\x1a\n"
    + len(SIZE).to_bytes(4, "big")
    + b"IHDR"
    + SIZE
    + zlib.crc32(b"IHDR" + SIZE).to_bytes(4, "big")
    + bytes(64)
)


@all_cases("charged", [0, 85, 334, 1_500])
@all_cases("model", ["gpt-5", "claude-sonnet-5", "gemini-3-pro"])
def test_a_picture_that_cost_less_than_it_was_counted_for(
    opened: Open, model: str, charged: int
) -> None:
    """What it was not charged is not thought to be freed when it leaves the window."""
    ctx = opened(model=model)
    ctx.user(["go on: " + "what it says of the words " * 200, PICTURE])
    counted = ctx.turn().pressure.tokens.total
    entries = [entry for entry in ctx.window.history.stream if isinstance(entry, UserTurn)]
    cost = sum(entry.text.media.tokens for entry in entries if entry.text.media)
    charged = min(charged, cost)
    ctx.metered(counted - cost + charged)
    scale = ctx.window.limits.scale
    assert cost > 1_000
    assert scale.bound(counted) >= counted - cost + charged
    assert scale.bound(counted - cost) >= counted - cost
    assert ctx.window.sent.samples[-1].tokens <= counted - cost + charged


def test_usage_before_any_turn(opened: Open) -> None:
    """A report of a request that was never made is left out, however it comes."""
    ctx = opened()
    ctx.metered(5_000)
    ctx.user("go on")
    ctx.reply(chat("a", 7_000, ""))
    ctx.result("a", "fine")
    ctx.metered(9_000)
    assert ctx.window.sent.samples == ()
    pressure = ctx.turn().pressure
    assert (pressure.ratio, pressure.hidden) == (1.0, 0)


ABSURD: list[Any] = [0, -1, -(10**9), 1, 10**9, 10**15]


@all_cases(("report", "way"), each_value(ABSURD, ["usage", "metered"]))
def test_an_absurd_report(opened: Open, report: Any, way: str) -> None:
    """One absurd report among credible ones is survived: no cut, and nearly the same pressure."""
    plain, odd = opened(), opened()
    one, two = Provider(1.3, 800), Provider(1.3, 800)
    for number in range(16):
        first, second = plain.turn(), odd.turn()
        assert first.pressure.tokens == second.pressure.tokens
        assert second.pressure.estimate == pytest.approx(first.pressure.estimate, rel=0.03)
        assert second.pressure.bound == pytest.approx(first.pressure.bound, rel=0.15)
        one.answers(plain, first)
        if number == 9 and way == "metered":
            odd.metered(report)
            two.answers(odd, second, report=0)
        else:
            two.answers(odd, second, report=report if number == 9 else None)
    assert odd.window.sent.cuts == 0


@all_cases("report", ABSURD)
def test_an_absurd_first_report(opened: Open, report: Any) -> None:
    """The very first report may be the absurd one; the next ones are believed all the same."""
    ctx = opened()
    ctx.user("go on")
    provider = Provider(1.3, 800)
    provider.answers(ctx, ctx.turn(), report=report)
    for turn in provider.steps(ctx, 14):
        assert turn.pressure.rho <= 1.0
    turn = ctx.turn()
    assert turn.pressure.estimate == pytest.approx(provider.size(turn), rel=0.03)
    assert ctx.window.sent.cuts == 0


NO_NUMBERS: list[Any] = [None, "many", "900", 12.5, float("nan"), float("inf"), [], {}]


@all_cases("report", NO_NUMBERS, ids=repr)
def test_usage_that_is_no_number(opened: Open, report: Any) -> None:
    """A proxy's odd usage never stands in the way of its reply."""
    ctx = opened()
    ctx.user("go on")
    size = ctx.turn().pressure.tokens.total
    ctx.reply(chat("a", report, ""))
    ctx.result("a", "fine")
    assert ctx.turn().pressure.estimate < size + 500


def test_what_is_expected_is_at_most_the_bound(opened: Open) -> None:
    """Also where a report was too much to be believed: the two are never told backwards."""
    ctx = opened(window=16_000)
    ctx.user("Go on with it. " * 40)
    ctx.turn()
    ctx.metered(12_000)
    assert ctx.pressure.estimate <= ctx.pressure.bound < 12_000


def test_a_provider_that_changes_is_believed(opened: Open) -> None:
    """When the hidden prompt really grows, a few consistent reports move the estimate there."""
    ctx = opened()
    ctx.user("go on")
    provider = Provider(1.3, 200)
    for _ in provider.steps(ctx, 10):
        pass
    provider.hidden = 4_000
    for _ in provider.steps(ctx, 10):
        pass
    turn = ctx.turn()
    assert turn.pressure.estimate == pytest.approx(provider.size(turn), rel=0.02)
    assert turn.pressure.bound >= provider.size(turn)


def test_reopened(opened: Open) -> None:
    """What was learned is there in the next life, without a new commit's help."""
    ctx = opened("life", model="claude-sonnet-4-5")
    ctx.user("go on")
    provider = Provider(1.3, 800)
    for _ in provider.steps(ctx, 12):
        pass
    before = ctx.turn().pressure
    samples, scale = ctx.window.sent.samples, ctx.window.limits.scale
    ctx.close()
    again = opened("life")
    assert again.window.sent.samples == samples
    assert again.window.limits.scale == scale
    assert again.pressure == before
    assert again.turn().pressure == before
    for turn in provider.steps(again, 3):
        assert turn.pressure.estimate == pytest.approx(provider.size(turn), rel=0.02)


def test_another_model_starts_anew(opened: Open) -> None:
    """Reports of one model say nothing of another; they count again when it comes back."""
    ctx = opened(model="claude-sonnet-4-5")
    ctx.user("go on")
    provider = Provider(1.5, 3_000)
    for _ in provider.steps(ctx, 12):
        pass
    learned = ctx.turn().pressure
    assert learned.ratio == pytest.approx(1.5, abs=0.05)
    ctx.resize(64_000, model="gpt-5")
    foreign = ctx.turn().pressure
    assert (foreign.ratio, foreign.hidden) == (1.0, 0)
    assert foreign.estimate == foreign.bound == foreign.tokens.total
    other = Provider(1.0, 0)
    other.made = 100
    for turn in other.steps(ctx, 6):
        assert turn.pressure.estimate == pytest.approx(other.size(turn), rel=0.02)
    ctx.resize(64_000, model="claude-sonnet-4-5")
    back = ctx.turn()
    assert back.pressure.estimate == pytest.approx(provider.size(back), rel=0.03)


def test_the_name_a_reply_gives_its_model(opened: Open) -> None:
    """A dated name in the reply, as providers answer an alias, calibrates the model asked for."""
    ctx = opened(model="gpt-4o")
    ctx.user("go on")
    provider = Provider(1.3, 800)
    for number in range(12):
        turn = ctx.turn()
        ctx.reply(chat(f"d{number}", provider.size(turn), "gpt-4o-2024-08-06"))
        ctx.result(f"d{number}", provider.text(40))
    turn = ctx.turn()
    assert turn.pressure.estimate == pytest.approx(provider.size(turn), rel=0.02)


@all_cases("charged", [0, 85, 334, 1_500])
@all_cases("model", ["gpt-5", "claude-sonnet-5", "gemini-3-pro"])
def test_a_picture_is_counted_as_it_was_charged(opened: Open, model: str, charged: int) -> None:
    """From the report on it takes what it was charged; what came after the request is as before,
    and the request stays what it was, opened again too."""
    ctx = opened(model=model)
    ctx.user(["go on: " + "what it says of the words " * 200, PICTURE])
    counted = ctx.turn().pressure.tokens.total
    (cost,) = media_tokens(ctx)
    charged = min(charged, cost)
    ctx.user(PICTURE)
    ctx.metered(counted - cost + charged)
    first, second = media_tokens(ctx)
    assert second == cost
    assert first == cost or LEAST <= first <= max(charged, LEAST) + 1
    asked = ctx.window.sent.asked
    assert ctx.window.limits.scale.bound(asked) >= counted - cost + charged
    assert laws.counted(ctx.window) == []
    turn = ctx.turn()
    again = list(request(ctx.window, Reader(ctx._engine.workspace)).messages)
    assert again == list(turn.messages)
    ctx.metered(turn.pressure.tokens.total)
    assert laws.counted(ctx.window) == [] and media_tokens(ctx)[1] == cost


def test_what_nobody_could_look_into_is_counted_as_it_was_charged(opened: Open) -> None:
    """A document by its address was a guess: what it took beyond is its own, and leaves with it."""
    ctx = opened(model="claude-opus-5", window=200_000)
    source = {"type": "url", "url": "https://example.com/report.pdf"}
    ctx.user(["Sum up.", {"type": "document", "source": source}])
    counted = ctx.turn().pressure.tokens.total
    (guess,) = media_tokens(ctx)
    ctx.metered(counted + 40_000)
    (charged,) = media_tokens(ctx)
    assert 35_000 < charged - guess <= 40_000
    assert laws.counted(ctx.window) == []


def media_tokens(ctx: loom.Context) -> list[int]:
    """Tokens of the attachments that stand."""
    entries = [entry for entry in ctx.window.history.stream if isinstance(entry, UserTurn)]
    return [entry.text.media.tokens for entry in entries if entry.text.media]


@all_cases(("shape", "ratio", "hidden"), [(s, *r) for s in SHAPES for r in ((1.6, 400), (0.6, 0))])
def test_the_first_reports_are_believed(
    opened: Open, shape: str, ratio: float, hidden: int
) -> None:
    """Each of the first reports moves the estimate, however far it is from the usual count; opened
    again, as after a kill, the workspace knows what was reported."""
    ctx = opened(name := f"{shape}{ratio}", window=16_000, model="gpt-5")
    ctx.user("go on")
    provider = Provider(ratio, hidden, SHAPES[shape])
    for _ in range(3):
        turn = ctx.turn()
        size = provider.size(turn)
        provider.answers(ctx, turn)
        known, asked = calibration(ctx.window), ctx.window.sent.asked
        assert known.estimate(asked) == size
        assert ctx.window.limits.scale.bound(asked) >= size
        ctx.user("word " * 1_500)
        before = ctx.pressure
        ctx = opened(name)
        assert ctx.pressure == before


def test_the_first_report_behind_a_cut_is_believed(opened: Open) -> None:
    """What stands behind a cut is other text, of other size for the provider: its own report counts
    at once, up or down, although the request lost little."""
    for ratio in (1.15, 0.85):
        ctx = opened(window=16_000, model="gpt-5")
        ctx.user("go on")
        provider = Provider(1.2, 300)
        for _ in provider.steps(ctx, 12):
            pass
        ctx.renew(history=12_000)
        ctx.user("word " * 3_000)
        turn = ctx.turn()
        assert turn.pressure.tokens.total > 0.75 * ctx.window.sent.samples[-1].tokens
        size = int(ratio * turn.pressure.estimate)
        provider.answers(ctx, turn, report=size)
        assert calibration(ctx.window).estimate(ctx.window.sent.asked) == size
