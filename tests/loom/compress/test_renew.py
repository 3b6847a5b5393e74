"""Renewal: a fresh window, C_working in a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

import loom
from loom.engine.snapshots.document import Snapshot, read
from loom.policy import Policy
from loom.providers.counts import counter_for
from loom_partitions.message import Digest
from loom_partitions.records import Renewed
from tests.kit.cases import all_cases, each_value
from tests.kit.opened import plain
from tests.kit.step import step

OUTPUT = "an ordinary line of output\n"
HUGE = {
    "lines": OUTPUT * 4_000,
    "one line": "x9Kq2" * 20_000,
    "cjk": "我们需要修复登录模块的错误。" * 3_000,
    "json": "[" + ",".join('{"id":17,"name":"parse"}' for _ in range(4_000)) + "]",
}


@pytest.fixture
def cuts() -> list[Renewed]:
    """The renewals that `on_cut` was shown."""
    return []


@pytest.fixture
def ctx(tmp_path: Path, cuts: list[Renewed]) -> Iterator[loom.Context]:
    """A full C_working, and no level but renewal that can act."""
    never = loom.Policy(snip_at=1.0, micro_at=1.0, collapse_at=1.0, auto_at=1.0)
    with loom.open(
        tmp_path / "w",
        goal="Make the login tests pass.",
        window=8_000,
        policy=replace(never, own_tools=False),
        on_cut=lambda made: cuts.append(made) if isinstance(made, Renewed) else None,
        durable=False,
    ) as made:
        made.system("You are careful.")
        made.working.plan([("read", "done"), ("mend", "doing")])
        made.events.signal("e1", "the disk is nearly full", urgency="high")
        made.working.ask("q1", "which branch?")
        made.working.evidence("p1", "branch is main", ["outputs/read_0001.txt"], 0.9)
        made.working.note("remember the milk")
        yield made


def filled(ctx: loom.Context) -> loom.Turn:
    """Steps until the window has been renewed."""
    generation = ctx.window.sent.generation
    for _ in range(100):
        step(ctx, OUTPUT * 60)
        turn = ctx.turn()
        if ctx.window.sent.generation > generation:
            return turn
    raise AssertionError("no renewal came")


def test_the_snapshot_is_c_working(ctx: loom.Context, cuts: list[Renewed], tmp_path: Path) -> None:
    """The snapshot file holds C_working as it stood, and the fresh window still has it."""
    ctx.turn()
    working = ctx.window.working
    filled(ctx)
    (made,) = cuts
    snapshot = read((tmp_path / "w" / made.snapshot).read_bytes())
    assert isinstance(snapshot, Snapshot)
    assert snapshot.working == working == ctx.window.working


def test_one_call_converges(ctx: loom.Context, cuts: list[Renewed]) -> None:
    """One turn: generation 2, ρ at low water, one digest, the last three steps as they were."""
    turn = filled(ctx)
    assert turn.pressure.level == "renewal"
    assert turn.pressure.generation == 2
    assert len(cuts) == 1
    assert turn.pressure.rho <= Policy().low_water
    entries = list(ctx.window.history.stream.entries)
    assert [isinstance(entry, Digest) for entry in entries[:2]] == [True, False]


def test_what_travels(ctx: loom.Context) -> None:
    """Goal, plan, events, questions, evidence and scratchpad are in the first fresh request."""
    sent = str(filled(ctx).request())
    for text in (
        "Make the login tests pass.",
        "You are careful.",
        "mend",
        "the disk is nearly full",
        "which branch?",
        "branch is main",
        "remember the milk",
    ):
        assert text in sent


def test_generation_after_generation(ctx: loom.Context) -> None:
    """Renewals follow each other; digests merge and count every step."""
    for generation in range(2, 6):
        assert filled(ctx).pressure.generation == generation
        digests = [e for e in ctx.window.history.stream.entries if isinstance(e, Digest)]
        assert len(digests) == 1
        (digest,) = digests
        assert digest.first == 1
        assert digest.steps == digest.last


@all_cases(("kind", "window"), each_value(HUGE, [1_200, 2_000, 8_000]))
def test_a_huge_last_result(tmp_path: Path, kind: str, window: int) -> None:
    """However large the last result is, the next request fits, and the result restores."""
    with plain(tmp_path / "h", window=window) as ctx:
        for number in range(6):
            ctx.user("go on, please, with the next part of it " * 6)
            step = ctx.window.history.next_id
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Bash", '{"command":"x"}'),)))
            ctx.result(f"c{number}", HUGE[kind])
            assert ctx.turn().pressure.rho <= 1.0
        assert ctx.history.restore(step).results == {"c5": HUGE[kind]}


@all_cases(
    ("calls", "error"),
    [
        (1, False),
        (1, True),
        (60, False),
        (60, True),
        (150, False),
        (150, True),
    ],
)
def test_many_parallel_calls(tmp_path: Path, calls: int, error: bool) -> None:
    """However many calls the last step has, the next request fits a small window."""
    made = [loom.ToolCall(f"c{n}", "Bash", '{"command":"pytest -q"}') for n in range(calls)]
    with plain(tmp_path / "p", window=2_000) as ctx:
        ctx.user("go")
        ctx.reply(loom.Reply(tuple(made)))
        for call in made:
            ctx.result(call, OUTPUT * 20, error=error)
        assert ctx.turn().pressure.rho <= 1.0


def test_only_the_protected_can_be_too_much(tmp_path: Path) -> None:
    """Instructions up to what is allowed in never make a turn impossible."""
    count = counter_for()
    with plain(tmp_path / "o", window=4_000) as ctx:
        text = "Be careful with this. "
        while True:
            try:
                ctx.system(text)
            except loom.OverCapacity as error:
                assert error.partition == "system"
                break
            text += "And with that, too. " * 4
        for number in range(20):
            ctx.user("go on, please, with the next part of it " * 10)
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Bash", '{"command":"x"}'),)))
            ctx.result(f"c{number}", OUTPUT * 40)
            assert ctx.turn().pressure.rho <= 1.0
        assert count(text) > 2_000


def test_a_stale_notice_does_not_outlive_its_successor(tmp_path: Path) -> None:
    """Instructions changed and changed back: after a cut the last ones told are the stored ones."""
    with plain(tmp_path / "s", window=16_000) as ctx:
        ctx.system("RULE version A")
        ctx.user("start")
        ctx.turn()
        ctx.system("RULE version B")
        for _ in range(4):
            step(ctx, OUTPUT * 160)
            ctx.turn()
        ctx.system("RULE version A")
        while not ctx.window.sent.cuts:
            step(ctx, OUTPUT * 160)
            turn = ctx.turn()
        sent = str(turn.request()["messages"])
        assert sent[sent.rfind("RULE version") :].startswith("RULE version A")
