"""The levels of compression and the renewal of the third document."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.capability import Folded
from loom.compress.ladder import LADDER
from loom_partitions.message import Digest, Said, Step
from loom_partitions.records import Compressed, Renewed
from tests.kit.opened import Open
from tests.kit.pressed import Cut, Life
from tests.kit.requests import request
from tests.kit.scene import scene
from tests.kit.standins import TooLong
from tests.kit.step import act, step


def test_one_level_per_turn(opened: Open) -> None:
    """A turn makes at most one cut by a level."""
    ctx = opened(window=8_192)
    cuts = 0
    for _ in range(40):
        step(ctx, 60)
        before = ctx.window.sent.cuts
        ctx.turn()
        assert ctx.window.sent.cuts - before <= 1
        cuts += ctx.window.sent.cuts - before
    assert cuts > 3


MARKS = {"snip": 0.70, "micro": 0.80, "collapse": 0.90, "auto": 0.95}


def filled(opened: Open, rho: float, **given: Any) -> loom.Context:
    """A context of that ρ before its first turn, with long texts and a result it holds twice."""
    ctx = opened(window=16_000, **given)
    for _ in range(2):
        act(ctx, "Bash", {"command": "cat a"}, "the same line of it\n" * 150)
    for path in ("b", "c"):
        act(ctx, "Read", {"path": path}, 300)
    while ctx.pressure.rho < rho:
        step(ctx, 12)
    return ctx


@pytest.mark.exact
@pytest.mark.parametrize("level", MARKS)
def test_mark(opened: Open, lived: Life, level: str) -> None:
    """Each level has its documented mark and never acts below it; collapse and auto always do."""
    (rung,) = (rung for rung in LADDER if rung.name == level)
    assert getattr(loom.Policy(), str(rung.mark)) == MARKS[level]
    for cut in lived.cuts:
        if isinstance(cut, Compressed) and cut.level == level:
            assert cut.certificate.before.total / 6_144 >= MARKS[level] - 0.06
    if not rung.optional:
        assert filled(opened, MARKS[level] + 0.005).turn().pressure.level == level


@pytest.mark.exact
@pytest.mark.parametrize("level", MARKS)
def test_graduated(opened: Open, level: str) -> None:
    """With policy "graduated" each level acts at the first turn whose ρ passes its mark."""
    ctx = filled(opened, MARKS[level] + 0.005, policy="graduated")
    assert ctx.turn().pressure.level == level


def aged(opened: Open, text: str, **given: Any) -> loom.Context:
    """A context with that result, behind three more steps."""
    ctx = opened(**given)
    act(ctx, "Bash", {"command": "make"}, text)
    for _ in range(3):
        step(ctx, "fine")
    return ctx


def strategy(name: str) -> Any:
    """What a level of the ladder does."""
    return next(rung.strategy for rung in LADDER if rung.name == name)


def test_snip(opened: Open) -> None:
    """A message over 2,000 characters keeps head and tail; one of 2,000 stays whole."""
    assert loom.Policy().tuning.snip_chars == 2_000
    assert strategy("snip")(scene(aged(opened, "x" * 2_000))) == ()
    long = "the head\n" + "middle\n" * 400 + "the tail"
    (edit,) = strategy("snip")(scene(aged(opened, long)))
    assert edit.text.body.startswith("the head") and edit.text.body.endswith("the tail")
    assert "outputs/shell_0001.log" in edit.text.body and len(edit.text.body) <= 2_000


@pytest.mark.parametrize("ids", [("same", "same"), ("one", "two")], ids=["call id", "equal"])
def test_micro(opened: Open, ids: tuple[str, str]) -> None:
    """Of two results under one call id, or equal ones of one call, the older is a reference."""
    ctx = opened()
    for id in ids:
        ctx.reply(loom.Reply((loom.ToolCall(id, "Bash", '{"command": "cat a"}'),)))
        ctx.result(id, "the same line\n" * 50)
    for _ in range(3):
        step(ctx, "fine")
    (edit,) = strategy("micro")(scene(ctx))
    assert edit.entry == 1 and "step_0002" in edit.text.body


def test_collapse(opened: Open) -> None:
    """The middle becomes one digest of what it said; the first and the last entries stay."""
    ctx = opened()
    ctx.user("Never touch migrations/, please.")
    ctx.user("The limit is 177.")
    for _ in range(8):
        step(ctx, 60)
    (fold, *_) = strategy("collapse")(scene(ctx, 400))
    assert isinstance(fold, Folded) and fold.first == 2 and fold.last < 8
    assert "The limit is 177." in fold.digest.text


def test_auto(opened: Open) -> None:
    """What the present step speaks of stays, what is as old and speaks of something else leaves."""
    ctx = opened()
    for name in ("alpha", "gamma", "delta", "omega"):
        lines = "".join(f"def {name}_{n}(): return {n}\n" for n in range(40))
        act(ctx, "Read", {"path": f"src/{name}.py"}, lines)
    for _ in range(3):
        act(ctx, "Grep", {"pattern": "gamma_7", "path": "src/gamma.py"}, "gamma_7 gamma_8 gamma_9")
    seen = scene(ctx)
    worth = {key[0]: seen.worths.of(key) for key in seen.catalog.units}
    assert max(worth, key=lambda name: worth[name]) == "step_0002"


def test_score(opened: Open) -> None:
    """The score is K·rel·e^(−λ·age): of equal entries, each step of age takes the same share."""
    ctx = opened(policy="graduated")
    for number in range(9):
        act(ctx, "stock", {"item": f"{number}"}, 30)
    seen = scene(ctx)
    by_step = {key[0]: seen.worths.of(key) for key in seen.catalog.units}
    shares = [by_step[f"step_{at:04}"] / by_step[f"step_{at + 1:04}"] for at in range(1, 6)]
    assert shares == pytest.approx([shares[0]] * 5, rel=0.01) and 0 < shares[0] < 1


def long_life(ctx: loom.Context) -> None:
    """Steps of every kind of text over 500 characters, some of them read by their slices."""
    for number in range(24):
        ctx.turn()
        if number % 6 == 0:
            ctx.user(f"Look into part {number}.\n" + f"the log of part {number} says so\n" * 40)
        lines = "".join(f"def part_{number}_{n}(): return {n}\n" for n in range(120))
        said = f"Part {number} is next, as I said. " * 30
        act(ctx, "Read", {"path": f"src/part_{number}.py"}, lines, said=said)
        act(ctx, "Write", {"path": f"out_{number}.py", "content": lines[:900]}, "ok")
        act(
            ctx,
            "Grep",
            {"pattern": f"part_{max(number - 4, 0)}_7"},
            f"part_{number}_7 found\n" * 40,
        )


@pytest.mark.parametrize("preset", loom.PRESETS)
def test_reactive(opened: Open, preset: str) -> None:
    """An HTTP 413 is answered at once: every old text over 500 characters is snipped but the user's
    last message, by a renewal where that is not enough; a second one says what to do."""
    policy = replace(loom.PRESETS[preset], own_tools=False)
    assert policy.tuning.reactive_chars == 500
    cuts: list[Cut] = []
    ctx = opened(window=64_000, policy=policy, on_cut=cuts.append)
    long_life(ctx)
    before = ctx.turn().pressure.tokens.total
    made = ctx.window.sent.cuts
    ctx.overflowed(TooLong("Request Entity Too Large"))
    assert ctx.window.sent.cuts == made + 1
    assert getattr(cuts[-1], "level", "renewal") == ctx.pressure.level
    assert ctx.pressure.level == ("renewal" if preset == "eager" else "reactive")
    assert ctx.pressure.tokens.total < 0.8 * before
    steps = [one for one in ctx.window.history.stream.entries if isinstance(one, Step)]
    assert max(long_texts(ctx, steps[-3:][0].id), default=0) <= 600
    with pytest.raises(loom.OverCapacity, match=r"ctx\.resize\("):  # once a request
        ctx.overflowed(TooLong("Request Entity Too Large"))


def long_texts(ctx: loom.Context, recent: int) -> Iterator[int]:
    """The characters of every text that stands in an entry before the recent ones."""
    entries = [e for e in ctx.window.history.stream.entries if not isinstance(e, Digest)]
    typed = max((e.id for e in entries if not isinstance(e, Step) and e.typed), default=0)
    for entry in entries:
        if entry.id >= recent or entry.id == typed:
            continue
        if not isinstance(entry, Step):
            yield len(entry.text.body or "")
            continue
        yield from (len(one.text.body or "") for one in (*entry.outcomes, *entry.beside))
        yield from (len(part.text.body or "") for part in entry.parts if isinstance(part, Said))
        yield from (len(call.arguments) for call in entry.calls)


def test_renewal(opened: Open, tmp_path: Path) -> None:
    """At ρ ≥ 1.0 there is a fresh window: history is a digest and the newest steps, every byte of
    which comes back; working memory is as it was, and on the disk, from which alone an agent opens.
    """
    cuts: list[Cut] = []
    ctx = opened("here", window=8_192, goal="Port the parser.", on_cut=cuts.append)
    ctx.working.plan([("port", "doing")])
    ctx.working.scratch("half way")
    for _ in range(8):
        step(ctx, 140)
    before = ctx.window
    assert loom.Policy().renew_at == 1.0 <= ctx.pressure.rho
    ctx.turn()
    assert [type(cut) for cut in cuts] == [Renewed]
    assert ctx.pressure.rho < 0.9 and ctx.pressure.generation == 2
    assert isinstance(next(ctx.window.history.stream.entries), Digest)
    assert ctx.window.tokens.history < before.tokens.history
    assert ctx.history.restore("step_0001").results["c1"].startswith("line 0 of the output 1\n")
    assert ctx.window.working == before.working
    assert all(said in request(ctx) for said in ("Port the parser.", "[>] port", "half way"))
    snapshot = tmp_path / "here/snapshots/working_0001.json"
    held = json.loads(snapshot.read_text("utf-8"))
    assert held["scratchpad"] == "half way"
    assert held["plan"] == [{"text": "port", "state": "doing"}]
    with loom.open(tmp_path / "other", snapshot=snapshot) as other:
        assert other.window.working.plan == before.working.plan
        assert other.working.goal == "Port the parser."
