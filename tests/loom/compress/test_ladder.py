"""Collapse, auto and reactive, driven through turns and straight on a scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

import loom
from loom.compress.auto import auto
from loom.compress.collapse import collapse
from loom.compress.duplicates import micro
from loom.compress.ladder import reactive
from loom.compress.scene import Strategy
from loom.compress.snip import snip
from loom_partitions import laws
from loom_partitions.edits import Edit, Lowered, Shortened
from loom_partitions.message import Detail, Digest, Step, UserTurn
from loom_partitions.records import Certificate, Compressed, Renewed
from loom_partitions.window import apply
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.standins import TooLong
from tests.kit.step import step

NOISE = "the build went on and on as builds do\n"
RULE = "You must never touch config/prod.yaml."


def pressed(ctx: loom.Context, add: Callable[[int], object]) -> Iterator[loom.Turn]:
    """Turns that cut something, as the session grows."""
    for number in count():
        assert number < 400, "no cut came"
        add(number)
        turn = ctx.turn()
        if turn.pressure.level:
            yield turn


def test_collapse_keeps_the_kernel(opened: Open) -> None:
    """The middle becomes one digest with the user's rule and the error; both ends stay."""
    ctx = opened(window=8_192)
    ctx.user(f"Fix the login. {RULE}")
    step(ctx, "ls: cannot access 'secrets': No such file or directory", error=True)
    ctx.user("Decision: we use tabs. Always run tests/test_login.py first.")
    texts = 300 * [NOISE]
    turns = pressed(ctx, lambda n: step(ctx, "".join(texts[: 20 + n % 7])))
    turn = next(turn for turn in turns if turn.pressure.level == "collapse")
    entries = list(ctx.window.history.stream.entries)
    assert isinstance(entries[0], UserTurn)
    assert RULE in str(turn.request())
    digests = [entry for entry in entries if isinstance(entry, Digest)]
    assert len(digests) == 1
    assert "cannot access 'secrets'" in str(turn.request())
    assert "run tests/test_login.py first" in str(turn.request())
    assert f"{digests[0].steps} steps completed" in digests[0].text
    lines, _, known = ctx.page_in(digests[0].page).text.partition("\n\n")
    assert lines.count("\n") + 1 == digests[0].steps + digests[0].users
    assert known.startswith("ran:\n")
    last = [entry for entry in entries if isinstance(entry, Step)][-3:]
    assert [entry.detail for entry in last] == [Detail.FULL] * 3
    assert turn.pressure.rho <= 0.82


def kept(edits: tuple[Edit, ...], ids: list[int]) -> list[int]:
    """The entries that no edit touches."""
    touched = {edit.entry for edit in edits if isinstance(edit, Lowered | Shortened)}
    return [id for id in ids if id not in touched]


FOCI = {
    "latin": ("Repair the invoice ledger", "invoice ledger totals", "kitchen garden soil"),
    "cjk": ("修复登录模块的错误", "登录模块错误日志", "今天天气晴朗无风"),
}


@pytest.mark.parametrize("script", FOCI)
def test_auto_keeps_what_is_relevant(opened: Open, script: str) -> None:
    """With room for one old result it is the one about the goal, though it is the oldest."""
    goal, near, far = FOCI[script]
    ctx = opened(goal=goal)
    ids = [step(ctx, f"{near}\n" * 40), *(step(ctx, f"{far} {n}\n" * 40) for n in range(5))]
    for _ in range(3):
        step(ctx, "ok", args='{"command":"true"}')
    history = ctx.window.tokens.history
    one = next(iter(ctx.window.history.stream.entries)).tokens
    floor = history - sum(e.tokens for e in list(ctx.window.history.stream.entries)[:6])
    target = ctx.window.tokens.total - history + floor + one + 6 * 45
    assert ids[0] in kept(auto(scene(ctx, target)), ids)


def test_auto_keeps_the_newest_when_nothing_is_relevant(opened: Open) -> None:
    """Without any term in common, age alone decides."""
    ctx = opened(goal="zzz qqq")
    own = ["".join(f"{NOISE.strip()} {n} {line}\n" for line in range(40)) for n in range(8)]
    ids = [step(ctx, text, args=f'{{"x":{n}}}', tool="t") for n, text in enumerate(own)]
    for _ in range(3):
        step(ctx, "0", args="{}", tool="u")
    total = ctx.window.tokens.total
    sizes = [entry.tokens for entry in ctx.window.history.stream.entries]
    left = kept(auto(scene(ctx, total - sum(sizes[:4]))), ids)
    assert left
    assert left == ids[-len(left) :]


def test_overflow_shrinks_once_then_names_the_partition(opened: Open) -> None:
    """After "too long" the next request is smaller; a second refusal is OverCapacity."""
    ctx = opened()
    for _ in range(14):
        step(ctx, NOISE * 60)
    full = ctx.turn().pressure.tokens.total
    ctx.overflowed(TooLong())
    less = ctx.turn().pressure.tokens.total
    assert less < full
    with pytest.raises(loom.OverCapacity, match=r"history.*resize"):
        ctx.overflowed(TooLong())
    ctx.reply("fine")
    ctx.user("go on")
    ctx.turn()
    ctx.overflowed(TooLong())


def test_overflow_shrinks_below_low_water_too(opened: Open) -> None:
    """The provider's word counts, not ρ: what it refused at a low ρ becomes smaller as well."""
    ctx = opened(window=64_000)
    for _ in range(14):
        step(ctx, NOISE * 60)
    full = ctx.turn().pressure
    assert full.rho < 0.5
    ctx.overflowed(TooLong())
    assert ctx.turn().pressure.tokens.total < full.tokens.total


def test_overflow_learns_the_limit(opened: Open) -> None:
    """A limit the provider states becomes the window."""
    ctx = opened(window=64_000, reply=1_000)
    for _ in range(14):
        step(ctx, NOISE * 60)
    ctx.turn()
    ctx.overflowed(RuntimeError("This model's maximum context length is 8192 tokens."))
    assert ctx.turn().pressure.capacity == 7_192
    assert ctx.turn().pressure.rho <= 1.0


LIMIT = "This model's maximum context length is {} tokens."


@pytest.mark.parametrize("limit", [10_000, 8_192])
def test_a_limit_near_the_reply(opened: Open, limit: int) -> None:
    """A stated limit near or below the reply shrinks the reply too, as a resize does."""
    ctx = opened(window=64_000)
    ctx.system("be good " * 2_000)
    step(ctx, NOISE * 60)
    ctx.turn()
    ctx.overflowed(RuntimeError(LIMIT.format(limit)))
    assert ctx.turn().pressure.tokens.total + ctx.window.limits.reply <= limit


def test_other_errors_are_raised_again(opened: Open) -> None:
    """What is no overflow goes back to the host, and nothing is recorded."""
    ctx = opened()
    ctx.user("hi")
    before = ctx.window
    with pytest.raises(ZeroDivisionError):
        ctx.overflowed(ZeroDivisionError("x"))
    assert ctx.window is before


def test_a_veto_below_the_limit_stands(opened: Open) -> None:
    """on_cut may refuse a cut: nothing is lowered, until the request no longer fits."""
    seen: list[Compressed | Renewed] = []

    def refuse(record: Compressed | Renewed) -> bool:
        seen.append(record)
        return False

    ctx = opened(window=8_000, on_cut=refuse)
    with pytest.raises(loom.Vetoed, match="renewal at ρ 1"):
        for _ in range(60):
            step(ctx, NOISE * 40)
            ctx.turn()
    assert any(isinstance(record, Compressed) for record in seen)
    assert ctx.window.sent.cuts == 0
    assert ctx.window.tokens.history > 0.8 * ctx.window.limits.capacity
    ctx.resize(32_000)
    assert ctx.turn().pressure.rho < 0.5


def test_certificates(opened: Open) -> None:
    """Every cut tells sizes before and after, the reusable prefix, and unchanged partitions."""
    seen: list[Compressed | Renewed] = []
    ctx = opened(window=8_000, on_cut=seen.append)
    ctx.system("be careful")
    for _ in range(60):
        step(ctx, NOISE * 40)
        ctx.turn()
    assert {type(record) for record in seen} >= {Compressed}
    for record in seen:
        made = record.certificate
        assert made.after.total < made.before.total
        assert made.after.total <= made.target
        assert made.orphans == 0
        assert made.removed == len(record.edits)
        assert 0 <= made.reusable <= made.after.total
        assert set(made.protected) == {"system", "memory", "skill", "tools", "working"}


@all_cases("strategy", [snip, micro, collapse, auto, reactive])
def test_planning_again_finds_nothing(opened: Open, strategy: Strategy) -> None:
    """What a level lowered to its target, that level does not lower again."""
    ctx = opened()
    for number in range(8):
        step(ctx, NOISE * 80 + str(number % 2), args='{"command":"make"}')
    target = ctx.window.tokens.total - 1_500
    edits = strategy(scene(ctx, target))
    assert edits
    none = Certificate({}, ctx.window.tokens, ctx.window.tokens, 0, 0, 0)
    after = apply(ctx.window, Compressed("test", edits, 0, none))
    assert laws.counted(after) == []
    assert after.tokens.total < ctx.window.tokens.total
    cutter = ctx._engine.relief.cutter
    assert laws.idempotent(after, lambda window: strategy(cutter.scene(window, 0, target))) == []
