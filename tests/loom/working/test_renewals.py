"""Renewals carry C_working over unchanged."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.session.archive.snapshot_document import Snapshot, parse_snapshot
from loom_partitions import laws
from tests.kit.requests import request

WORDS = ("parse", "token", "reader", "index", "shard", "lock", "queue", "retry", "schema", "cache")
RENEWALS = 10
GOAL = "Port the reader to the new format."
PLAN = (("Read the tests", "done"), ("Port the lexer", "doing"), ("Port the writer", "todo"))


def words(chance: random.Random, tokens: int) -> str:
    """A text of about so many tokens."""
    return " ".join(chance.choice(WORDS) for _ in range(tokens))


def large(chance: random.Random) -> str:
    """A result after which a window of 8,192 may be over full before a cut makes room."""
    return words(chance, chance.randint(1_000, 3_000))


def step(ctx: loom.Context, text: str, *own: loom.ToolCall) -> None:
    """A reply with one call of the host's, and its result."""
    id = f"c{ctx.window.history.next_id}"
    ctx.reply(loom.Reply((loom.ToolCall(id, "Read", f'{{"path": "{id}.py"}}'), *own)))
    ctx.result(id, text)


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context with something on every surface."""
    with loom.open(tmp_path / "w", goal=GOAL, window=8_192, durable=False) as made:
        made.turn()
        step(made, "first")
        made.working.plan(PLAN)
        made.working.progress("one third")
        made.working.scratch("the reader is in src/reader.py")
        made.events.signal("e-1", "the build broke", kind="build", urgency="high")
        made.events.signal("e-2", "a file changed", kind="files")
        made.events.signal("r-1", "the disk is full", kind="disk")
        made.events.acknowledge("r-1", "defer")
        made.working.ask("q-1", "Which encoding?")
        made.working.evidence(
            "v-1",
            "headers are little endian",
            citations=("step_0001",),
            confidence=0.8,
            facts=("magic is 0x17",),
            conflicts=("the README says big",),
        )
        yield made


CARRIED = (
    GOAL,
    "Port the lexer",
    "Port the writer",
    "the reader is in src/reader.py",
    "e-1",
    "the build broke",
    "e-2",
    "r-1",
    "the disk is full",
    "q-1",
    "Which encoding?",
    "v-1",
    "headers are little endian",
    "magic is 0x17",
    "the README says big",
    "step_0001",
    "r-1 defer",
)


def test_ten_renewals_change_nothing(ctx: loom.Context, tmp_path: Path) -> None:
    """Before, after, on disk and in the request: C_working is the same, renewal by renewal."""
    chance = random.Random(1)
    renewed = 0
    while renewed < RENEWALS:
        step(ctx, large(chance))
        before, generation = ctx.window.working, ctx.window.sent.generation
        text = request(ctx)
        assert ctx.window.working == before
        assert laws.paired(ctx.window) == laws.counted(ctx.window) == []
        if ctx.window.sent.generation == generation:
            continue
        renewed += 1
        assert ctx.window.sent.generation == generation + 1
        files = sorted((tmp_path / "w" / "snapshots").iterdir())
        assert len(files) == renewed
        made = parse_snapshot(files[-1].read_bytes())
        kept = made.working if isinstance(made, Snapshot) else made
        assert kept == before
        assert [part for part in CARRIED if part not in text] == []
        assert ctx.history.restore("step_0001").results["c1"] == "first"


@pytest.mark.parametrize("urgency", ["critical", "low"])
def test_an_event_right_before_a_renewal_is_told(ctx: loom.Context, urgency: str) -> None:
    """It came after the last request of its generation; the first one of the next shows it."""
    chance = random.Random(3)
    seen = 0
    while seen < 3:
        step(ctx, large(chance))
        if ctx.pressure.rho < 1.0:
            ctx.turn()
            continue
        generation = ctx.window.sent.generation
        ctx.events.signal(f"late-{seen}", f"alarm number {seen}", kind=f"k{seen}", urgency=urgency)
        text = request(ctx)
        assert ctx.window.sent.generation == generation + 1
        assert f"late-{seen}" in text and f"alarm number {seen}" in text
        assert ctx.window.working.interrupt
        seen += 1


def test_a_tools_writing_right_before_a_renewal_is_kept(ctx: loom.Context) -> None:
    """The model's own last words go into the snapshot although its reply leaves the window."""
    chance = random.Random(4)
    number = 0
    while ctx.window.sent.generation < 5:
        number += 1
        note = loom.ToolCall(
            f"n{number}", "working", f'{{"action": "scratch", "text": "kept value-{number}"}}'
        )
        step(ctx, large(chance), note)
        assert f"kept value-{number}" in request(ctx)
