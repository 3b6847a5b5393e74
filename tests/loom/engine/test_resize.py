"""A window moves: refused by a provider, resized by the host, opened with another size or model."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.providers.counts import counter_for
from loom.providers.formats import FORMATS
from loom.providers.formats.laws import broken
from loom.replay.audit import message_tokens
from loom_paging import FileStore
from loom_paging.check import check
from loom_partitions import laws
from tests.kit.cases import all_cases
from tests.kit.journal import commits
from tests.kit.opened import PLAIN, Open, opened_with, plain

WORDS = [name + str(number) for name in ("alpha", "beta", "gamma", "zeta") for number in range(9)]
SCRIPTS = {
    "cjk": "我们需要修复登录模块的错误，并保持会话状态。",
    "georgian": "ჩვენ უნდა გამოვასწოროთ შესვლის მოდულის შეცდომა. ",
    "thai": "เราต้องแก้ไขข้อผิดพลาดของโมดูลเข้าสู่ระบบ",
    "latin": "We need to repair the login module and keep the session. ",
}


class Refused(Exception):
    """What an SDK raises for a request that is too long."""

    status_code = 400

    def __init__(self, size: int, most: int) -> None:
        super().__init__(f"prompt is too long: {size} tokens > {most} maximum")


@cache
def text(salt: int, words: int) -> str:
    """A text no other salt gives, of about two tokens a word."""
    return f"{salt}: " + " ".join(Random(salt).choices(WORDS, k=words))


def step(ctx: loom.Context, number: int, result: str) -> None:
    """One call and its result."""
    call = loom.ToolCall(f"c{number}", "Bash", f'{{"command":"make part{number}"}}')
    ctx.reply(loom.Reply((loom.Speech(f"Part {number}."), call)))
    ctx.result(call.id, result)


def cuts(folder: Path) -> list[dict[str, Any]]:
    """Every cut of the journal."""
    records = [record for commit in commits(folder) for record in commit["records"]]
    return [record for record in records if record["type"] in ("Compressed", "Renewed")]


def unlawful(ctx: loom.Context, turn: loom.Turn) -> list[str]:
    """What a provider would refuse of the request, and what laws the window breaks."""
    found = [*laws.paired(ctx.window), *laws.counted(ctx.window), *laws.ordered(ctx.window)]
    for format in FORMATS:
        found += broken(format, turn.request(format, model="m"))
    return found


# 128,000 tokens the first time, as it is later.
opened = opened_with("work", window=128_000, model="gpt-5", policy=PLAIN)


def filled(ctx: loom.Context, steps: int = 40, words: int = 600) -> dict[int, str]:
    """Give it a user's turn and some steps; every result by its entry."""
    ctx.system("be careful")
    ctx.user("Build every part. 请小心。")
    texts = {}
    for number in range(steps):
        texts[ctx.window.history.next_id] = text(number, words)
        step(ctx, number, texts[ctx.window.history.next_id])
    return texts


# ---- refused as too long


def test_a_refusal_teaches_window_and_scale(opened: Open) -> None:
    """The stated limit becomes the window, the stated size a sample; the next turn fits both."""
    ctx = opened()
    filled(ctx)
    size = ctx.turn().pressure.tokens.total
    ctx.overflowed(Refused(round(size * 1.35), 60_000))
    assert ctx.window.limits.window == 60_000
    assert ctx.window.sent.samples[-1].tokens == size
    assert ctx.window.sent.samples[-1].reported == round(size * 1.35)
    turn = ctx.turn()
    pressure = turn.pressure
    assert pressure.ratio * size + pressure.hidden == pytest.approx(size * 1.35, rel=0.02)
    assert pressure.bound <= 60_000 - ctx.window.limits.reply
    assert pressure.tokens.total * 1.35 <= 60_000 - ctx.window.limits.reply
    assert pressure.tokens.total < size
    assert pressure.rho < 1.0
    assert unlawful(ctx, turn) == []


@all_cases("model", ["gpt-5", "claude-sonnet-4-5", ""])
@all_cases("ratio", [1.1, 1.35, 2.0])
def test_what_was_refused_is_smaller_now(opened: Open, model: str, ratio: float) -> None:
    """At any ratio the request after a refusal is truly within the limit, reply included."""
    ctx = opened(window=64_000, model=model)
    filled(ctx, 36)
    size = ctx.turn().pressure.tokens.total
    limit = round(size * ratio * 0.9)
    ctx.overflowed(Refused(round(size * ratio), limit))
    assert ctx.window.limits.window == min(limit, 64_000)
    turn = ctx.turn()
    assert turn.pressure.tokens.total * ratio <= ctx.window.limits.room
    assert turn.pressure.bound <= ctx.window.limits.room


def test_a_vocabulary_far_from_ours(opened: Open) -> None:
    """A model of unknown vocabulary that counts 2.6 times as much: the request is made smaller."""
    ctx = opened(window=64_000, model="")
    filled(ctx, 36)
    size = ctx.turn().pressure.tokens.total
    ctx.overflowed(Refused(round(size * 2.6), 64_000))
    turn = ctx.turn()
    assert turn.pressure.tokens.total * 2.6 <= ctx.window.limits.room


def test_a_larger_limit_is_not_taken(opened: Open) -> None:
    """A stated limit above the window leaves the host's window; the size still calibrates."""
    ctx = opened(window=32_000)
    filled(ctx, 14)
    size = ctx.turn().pressure.tokens.total
    ctx.overflowed(Refused(34_000, 33_000))
    assert size < 32_000 == ctx.window.limits.window
    turn = ctx.turn()
    assert turn.pressure.tokens.total < size
    assert turn.pressure.bound <= ctx.window.limits.room


def test_refused_twice(opened: Open, folder: Path) -> None:
    """A second refusal of one request raises and stores nothing; after a reply it counts again."""
    ctx = opened()
    filled(ctx)
    size = ctx.turn().pressure.tokens.total
    ctx.overflowed(Refused(size + 1_000, 70_000))
    ctx.turn()
    before, window = commits(folder), ctx.window
    with pytest.raises(loom.OverCapacity):
        ctx.overflowed(Refused(70_001, 70_000))
    assert commits(folder) == before
    assert ctx.window is window
    step(ctx, 900, "fine")
    less = ctx.turn().pressure.tokens.total
    ctx.overflowed(Refused(65_000, 60_000))
    assert ctx.turn().pressure.tokens.total < less
    assert ctx.window.limits.window == 60_000


OTHERS: list[BaseException] = [
    ValueError("no"),
    TimeoutError(),
    RuntimeError("Rate limit reached for gpt-5: limit 30000 tokens per min, used 29000"),
    KeyError("messages"),
    KeyboardInterrupt(),
]


@all_cases("error", OTHERS, ids=[type(error).__name__ for error in OTHERS])
def test_other_errors(opened: Open, folder: Path, error: BaseException) -> None:
    """What is no refusal for size is raised again, the same object, and nothing is stored."""
    ctx = opened()
    filled(ctx, 3)
    ctx.turn()
    before = commits(folder)
    with pytest.raises(type(error)) as caught:
        ctx.overflowed(error)
    assert caught.value is error
    assert commits(folder) == before


def test_a_refusal_is_one_commit(opened: Open, folder: Path) -> None:
    """Refusal, limit, sample and cut stand in one journal line, and hold in the next life."""
    ctx = opened()
    texts = filled(ctx)
    size = ctx.turn().pressure.tokens.total
    before = len(commits(folder))
    ctx.overflowed(Refused(round(size * 1.2), 50_000))
    added = commits(folder)[before:]
    assert len(added) == 1
    kinds = {record["type"] for record in added[0]["records"]}
    assert "Overflowed" in kinds
    assert kinds & {"Compressed", "Renewed"}
    turn = ctx.turn()
    again = opened()
    assert again.window.limits.window == 50_000
    assert again.turn().sha256 == turn.sha256
    assert replace(again.turn().pressure, level="") == replace(turn.pressure, level="")
    assert all(body in again.history.restore(id).results.values() for id, body in texts.items())


# ---- resized by the host


@pytest.mark.exact
def test_a_large_session_moves_to_a_small_window(opened: Open, folder: Path) -> None:
    """From 100,000 tokens to a window of 8,192: it fits at once, nothing is lost, and it grows."""
    seen: list[object] = []
    ctx = opened(on_cut=seen.append)
    texts = filled(ctx, 60, 800)
    assert 90_000 < ctx.window.tokens.total < 115_000
    ctx.resize(8_192)
    assert ctx.pressure.rho < 1.0
    assert ctx.window.tokens.total <= ctx.window.limits.room <= 6_144
    turn = ctx.turn()
    assert turn.pressure.rho < 1.0
    assert unlawful(ctx, turn) == []
    made = cuts(folder)
    assert len(made) == len(seen) > 0
    for record in made:
        certificate = record["certificate"]
        assert certificate["orphans"] == 0
        assert set(certificate["protected"]) == {"system", "memory", "skill", "tools", "working"}
        assert sum(certificate["after"].values()) < sum(certificate["before"].values())
    for id, body in texts.items():
        assert body in ctx.history.restore(id).results.values()
    assert "请小心。" in ctx.history.restore(1).text
    ctx.resize(200_000)
    count = ctx.window.sent.cuts
    for number in range(100, 115):
        step(ctx, number, text(number, 600))
        assert ctx.turn().pressure.level == ""
    assert ctx.window.sent.cuts == count
    ctx.close()
    report = check(FileStore(folder, create=False))
    assert not report.problems


@all_cases("window", [32_000, 16_000, 4_000, 2_000])
def test_every_smaller_window(opened: Open, window: int) -> None:
    """Right after a resize the request fits the new window, with a reply's room left."""
    ctx = opened()
    texts = filled(ctx, 24)
    ctx.turn()
    ctx.resize(window)
    assert ctx.window.limits.window == window
    assert 0 < ctx.window.limits.reply <= window // 4
    assert ctx.pressure.rho < 1.0
    assert ctx.turn().pressure.rho < 1.0
    assert all(body in ctx.history.restore(id).results.values() for id, body in texts.items())


def test_resized_to_what_it_is(opened: Open) -> None:
    """The same sizes and model again change neither the limits nor the turn."""
    ctx = opened()
    filled(ctx, 3)
    turn, limits = ctx.turn(), ctx.window.limits
    ctx.resize(128_000)
    ctx.resize(128_000, limits.reply, "gpt-5")
    assert ctx.window.limits == limits
    assert ctx.turn().sha256 == turn.sha256


@pytest.mark.parametrize("answers", [0, 1, 2])
def test_resized_with_open_calls(opened: Open, answers: int) -> None:
    """While calls wait a resize works, and the turn after their results fits."""
    ctx = opened()
    texts = filled(ctx)
    ctx.turn()
    calls = tuple(loom.ToolCall(id, "Bash", "{}") for id in "xyz")
    ctx.reply(loom.Reply(calls))
    for id in "xyz"[:answers]:
        ctx.result(id, text(500, 900))
    ctx.resize(8_192)
    assert [call.id for call in ctx.calls] == list("xyz"[answers:])
    with pytest.raises(loom.OpenCalls):
        ctx.turn()
    for id in "xyz"[answers:]:
        ctx.result(id, text(501, 900))
    turn = ctx.turn()
    assert turn.pressure.rho < 1.0
    assert unlawful(ctx, turn) == []
    assert all(body in ctx.history.restore(id).results.values() for id, body in texts.items())


TOO_SMALL: list[tuple[str, int, int | None]] = [
    ("no room at all", 300, None),
    ("less than the instructions", 4_000, None),
    ("all of it for the reply", 16_000, 16_000),
    ("nothing", 0, None),
    ("negative", -5, None),
    ("negative reply", 16_000, -1),
]


@all_cases(("name", "window", "reply"), TOO_SMALL, ids=[t[0] for t in TOO_SMALL])
def test_too_small(opened: Open, folder: Path, name: str, window: int, reply: int | None) -> None:
    """A window that cannot hold what may not leave is refused; journal and window stay."""
    ctx = opened()
    filled(ctx, 20)
    ctx.system("be good " * 2_400)
    sha256 = ctx.turn().sha256
    before, stood = commits(folder), ctx.window
    with pytest.raises(loom.OverCapacity):
        ctx.resize(window, reply)
    assert commits(folder) == before
    assert ctx.window == stood
    assert ctx.turn().sha256 == sha256
    ctx.resize(16_000)
    assert ctx.turn().pressure.rho < 1.0


@pytest.mark.parametrize("reports", [1, 5])
def test_a_provider_that_counts_less(opened: Open, reports: int) -> None:
    """Reports below the count, from a large session: the small one is within room and bound."""
    ctx = opened()
    filled(ctx)
    for number in range(reports):
        ctx.metered(int(ctx.turn().pressure.tokens.total * 0.8))
        step(ctx, 100 + number, text(100 + number, 100))
    ctx.resize(8_192)
    pressure = ctx.turn().pressure
    assert pressure.tokens.total * 0.8 <= ctx.window.limits.room
    assert pressure.tokens.total * 0.8 <= pressure.bound


def test_a_refusal_that_counts_less(opened: Open) -> None:
    """A provider refuses with a size below the count: what is sent next is within the bound."""
    ctx = opened(model="")
    filled(ctx)
    size = ctx.turn().pressure.tokens.total
    ctx.overflowed(Refused(int(size * 0.75), int(size * 0.5)))
    turn = ctx.turn()
    assert turn.pressure.tokens.total * 0.75 <= turn.pressure.bound <= ctx.window.limits.room


# ---- another model


def true_size(turn: loom.Turn, model: str) -> int:
    """Tokens of a request's messages in the model's own encoding."""
    count = counter_for(model)
    assert count.exact
    return sum(message_tokens(message, count) for message in turn.request("openai")["messages"])


@pytest.mark.exact
@all_cases("script", SCRIPTS)
def test_a_model_of_another_encoding(opened: Open, script: str) -> None:
    """The bound covers what the other vocabulary makes of the texts, those that follow too."""
    ctx = opened()
    ctx.user("go on")
    for number in range(12):
        step(ctx, number, f"{number} " + SCRIPTS[script] * 12)
    ctx.turn()
    ctx.resize(24_000, model="gpt-4")
    assert ctx.window.config.model == "gpt-4"
    for number in range(20, 30):
        turn = ctx.turn()
        assert true_size(turn, "gpt-4") <= turn.pressure.bound <= ctx.window.limits.room
        step(ctx, number, f"{number} " + SCRIPTS[script] * 12)


@pytest.mark.exact
def test_a_model_of_another_encoding_in_a_tight_window(
    opened: Open,
) -> None:
    """Where the other vocabulary needs more than the window has, the resize cuts at once."""
    ctx = opened(window=16_000)
    ctx.user("go on")
    for number in range(24):
        step(ctx, number, f"{number} " + SCRIPTS["georgian"] * 16)
    before = ctx.turn().pressure.tokens.total
    ctx.resize(16_000, model="gpt-4")
    turn = ctx.turn()
    assert turn.pressure.tokens.total < before
    assert true_size(turn, "gpt-4") <= ctx.window.limits.room


# ---- opened anew


def test_reopened_as_it_is(opened: Open, folder: Path) -> None:
    """Opening without sizes, or with the sizes it has, is no commit and changes nothing."""
    ctx = opened()
    filled(ctx)
    turn = ctx.turn()
    window = ctx.window
    before = len(commits(folder))
    again: dict[str, Any]
    for again in ({}, {"window": 128_000}, {"model": "gpt-5"}, {"reply": window.limits.reply}):
        ctx = opened(**again)
        assert ctx.window == window
        assert len(commits(folder)) == before
        assert ctx.turn().sha256 == turn.sha256
        assert len(commits(folder)) == before


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


def test_reopened_smaller_with_open_calls(opened: Open) -> None:
    """A smaller window in the next life, calls still open: the first turn fits."""
    ctx = opened()
    filled(ctx)
    ctx.turn()
    ctx.reply(loom.Reply((loom.ToolCall("x", "Bash", "{}"),)))
    ctx = opened(window=8_192)
    assert [call.id for call in ctx.calls] == ["x"]
    ctx.result("x", "late but real")
    turn = ctx.turn()
    assert turn.pressure.rho < 1.0
    assert unlawful(ctx, turn) == []


def test_reopened_too_small(opened: Open, folder: Path) -> None:
    """A reopen that cannot fit is refused, and the workspace opens as before afterwards."""
    ctx = opened()
    filled(ctx, 5)
    ctx.system("be good " * 2_400)
    sha256 = ctx.turn().sha256
    ctx.close()
    before = commits(folder)
    with pytest.raises(loom.OverCapacity):
        opened(window=3_000)
    assert commits(folder) == before
    assert opened().turn().sha256 == sha256
