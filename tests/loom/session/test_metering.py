"""What providers report of a request's size leads from counted tokens to theirs, and governs ρ."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import loom
from loom.providers.render.render import LEAST, render_request
from loom.session.archive.page_reader import PageReader
from loom.session.meter import window_calibration
from loom_partitions import laws
from loom_partitions.message import UserTurn
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS, Called, Replied, enveloped, wire
from tests.kit.opened import PLAIN, Open, opened_with
from tests.providers.serving.pictures import png

WORDS = ("alpha", "beta", "gamma", "delta", "日志", "修复", "naïve", "x9Kq2")


class Provider:
    """A provider that counts exactly `ratio` per counted token, and `hidden` on top."""

    def __init__(self, ratio: float, hidden: int, format: str = "openai") -> None:
        self.ratio = ratio
        self.hidden = hidden
        self.format = format
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
        calls = wire(self.format, [Replied("", (Called(id, "Bash", "make"),))])[-1:]
        ctx.reply(enveloped(self.format, calls, size))
        ctx.result(ctx.calls[0], self.text(self.random.randrange(10, 160)))

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


def test_another_model_starts_anew(opened: Open) -> None:
    """Reports of one model say nothing of another; they count again when it comes back."""
    ctx = opened(model="claude-sonnet-4-5")
    ctx.user("go on")
    provider = Provider(1.5, 3_000)
    for _ in provider.steps(ctx, 12):
        pass
    assert ctx.turn().pressure.ratio == pytest.approx(1.5, abs=0.05)
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


@all_cases("charged", [0, 85, 334, 1_500])
@all_cases("model", ["gpt-5", "claude-sonnet-5", "gemini-3-pro"])
def test_a_picture_is_counted_as_it_was_charged(opened: Open, model: str, charged: int) -> None:
    """From the report on it takes what it was charged; what came after the request is as before,
    and the request stays what it was, opened again too."""
    ctx = opened(model=model)
    ctx.user(["go on: " + "what it says of the words " * 200, png(800, 2_000)])
    counted = ctx.turn().pressure.tokens.total
    (cost,) = media_tokens(ctx)
    charged = min(charged, cost)
    ctx.user(png(800, 2_000))
    ctx.metered(counted - cost + charged)
    first, second = media_tokens(ctx)
    assert second == cost
    assert first == cost or LEAST <= first <= max(charged, LEAST) + 1
    assert ctx.window.limits.scale.bound(ctx.window.sent.asked) >= counted - cost + charged
    assert laws.counted(ctx.window) == []
    turn = ctx.turn()
    again = list(render_request(ctx.window, PageReader(ctx._engine.workspace)).messages)
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


@all_cases(
    ("format", "ratio", "hidden"), [(s, *r) for s in FORMATS for r in ((1.6, 400), (0.6, 0))]
)
def test_the_first_reports_are_believed(
    opened: Open, format: str, ratio: float, hidden: int
) -> None:
    """Each of the first reports moves the estimate, however far it is from the usual count; opened
    again, as after a kill, the workspace knows what was reported."""
    ctx = opened(name := f"{format}{ratio}", window=16_000, model="gpt-5")
    ctx.user("go on")
    provider = Provider(ratio, hidden, format)
    for _ in range(3):
        turn = ctx.turn()
        size = provider.size(turn)
        provider.answers(ctx, turn)
        known, asked = window_calibration(ctx.window), ctx.window.sent.asked
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
        assert window_calibration(ctx.window).estimate(ctx.window.sent.asked) == size
