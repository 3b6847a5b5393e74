"""Renewals carry C_working over unchanged, and so does the death of the process at any point.

Theory of operation
-------------------
The lives that are killed run in a process of their own: it lives one whole life as the measure,
then one more for each kill point, each in a fork that writes the number of every call that
returned. After the kill the workspace is opened again, compared with the measure, and lived to
its end, which has to be that of the measure.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.engine.snapshots.document import Snapshot, read
from loom_partitions import laws
from tests.kit.cases import all_cases, some

ROOT = Path(__file__).parent.parent.parent.parent
WORDS = ("parse", "token", "reader", "index", "shard", "lock", "queue", "retry", "schema", "cache")
RENEWALS = 10
KILLS = 14 if os.environ.get("HYPOTHESIS_PROFILE") == "simulate" else 4
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


def asked(ctx: loom.Context) -> str:
    """The next request, as the text a provider gets."""
    return json.encode(ctx.turn().request("openai")["messages"]).decode()


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
        text = asked(ctx)
        assert ctx.window.working == before
        assert laws.paired(ctx.window) == laws.counted(ctx.window) == []
        if ctx.window.sent.generation == generation:
            continue
        renewed += 1
        assert ctx.window.sent.generation == generation + 1
        files = sorted((tmp_path / "w" / "snapshots").iterdir())
        assert len(files) == renewed
        made = read(files[-1].read_bytes())
        kept = made.working if isinstance(made, Snapshot) else made
        assert kept == before
        assert [part for part in CARRIED if part not in text] == []
        assert ctx.history.restore("step_0001").results["c1"] == "first"


def test_working_changes_between_renewals_are_carried(ctx: loom.Context) -> None:
    """What each generation adds is there in every later one."""
    chance = random.Random(2)
    told: list[str] = []
    while ctx.window.sent.generation <= RENEWALS:
        number = ctx.window.history.next_id
        if len(told) < 6:
            ctx.working.note(f"found value-{number}")
            told.append(f"value-{number}")
        step(ctx, large(chance))
        cuts, text = ctx.window.sent.cuts, asked(ctx)
        if ctx.window.sent.cuts == cuts:
            continue
        assert [part for part in told if part not in text] == []


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
        text = asked(ctx)
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
        note = loom.ToolCall(f"n{number}", "scratch", f'{{"text": "kept value-{number}"}}')
        step(ctx, large(chance), note)
        assert f"kept value-{number}" in asked(ctx)


LIVES = """
import json, os, random, signal, sys
from pathlib import Path
import msgspec, loom

ROOT, SEED, POINTS = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
DURABLE = sys.argv[4] or False
OPS = 200
WORDS = ("parse", "token", "reader", "index", "shard", "lock", "queue", "retry")

def host(ctx, n, chance):
    own = [("note", {"text": f"noted {n}"}), ("ask", {"id": f"o{n % 9}", "question": f"why {n}"}),
           ("plan", {"items": [f"[>] item {n}", "[ ] rest"]}),
           ("acknowledge", {"id": f"e{n % 23}", "disposition": "replan"})]
    name, arguments = chance.choice(own)
    ctx.reply(loom.Reply((loom.ToolCall(f"c{n}", "Read", "{}"),
                          loom.ToolCall(f"o{n}", name, json.dumps(arguments)))))

def result(ctx, n, chance):
    ctx.result(f"c{n - 1}", " ".join(chance.choice(WORDS) for _ in range(900)))

FREE = (
    lambda ctx, n, c: ctx.events.signal(f"e{n}", f"event {n}", kind=c.choice("abc"),
                                 urgency=c.choice(("low", "normal", "high", "critical"))),
    lambda ctx, n, c: ctx.events.acknowledge(
        f"e{c.randrange(n + 1)}", c.choice(("defer", "ignore"))),
    lambda ctx, n, c: ctx.working.ask(f"q{n}", f"why {n}?"),
    lambda ctx, n, c: ctx.working.answered(f"q{c.randrange(n + 1)}"),
    lambda ctx, n, c: ctx.working.evidence(f"v{n}", f"known {n}", ("step_0001",), c.random(),
                                   facts=("f",), conflicts=("g",)),
    lambda ctx, n, c: ctx.working.note(f"line {n}"),
    lambda ctx, n, c: ctx.working.scratch("pad " * c.randrange(1, 900)),
    lambda ctx, n, c: ctx.working.plan([(f"item {n}", "doing"), "other"]),
    lambda ctx, n, c: ctx.working.progress(f"at {n}"),
    lambda ctx, n, c: ctx.working.set_goal(f"Goal {n}."),
)

def op(ctx, n):
    chance = random.Random(f"{SEED}/{n}")
    kind = n % 6
    if kind == 0: ctx.turn()
    elif kind == 1: host(ctx, n, chance)
    elif kind == 2: result(ctx, n, chance)
    else: chance.choice(FREE)(ctx, n, chance)

def opened(path):
    return loom.open(path, goal="" if path.exists() else "Count.", window=8192, durable=DURABLE)

def state(ctx):
    window = ctx.window
    return msgspec.json.encode([window.working, window.sent.generation, window.history.next_id,
                                len(window.history.stream), window.sent.turn])

measure = []
with opened(ROOT / "measure") as ctx:
    measure.append(state(ctx))
    for n in range(OPS):
        op(ctx, n)
        measure.append(state(ctx))
    assert ctx.window.sent.generation > 3, ctx.window.sent.generation

chance = random.Random(SEED)
for number in range(POINTS):
    path, point = ROOT / f"life{number}", chance.randrange(OPS)
    how = ("exit", "kill", "outside")[number % 3]
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        ctx = opened(path)
        for n in range(OPS):
            op(ctx, n)
            if n == point and how == "exit": os._exit(1)
            if n == point and how == "kill": os.kill(os.getpid(), signal.SIGKILL)
            os.write(write, b".")
        os._exit(0)
    os.close(write)
    done = 0
    while got := os.read(read, 1 if how == "outside" else 4096):
        done += len(got)
        if how == "outside" and done >= point + 1:
            os.kill(child, signal.SIGKILL)
            break
    done += len(os.read(read, 65536)) if how == "outside" else 0
    os.waitpid(child, 0)
    while got := os.read(read, 65536): done += len(got)
    os.close(read)
    lawful = (done, done + 1) if how == "outside" else (point + 1,)
    with opened(path) as ctx:
        now = state(ctx)
        at = [n for n in lawful if n < len(measure) and measure[n] == now]
        if not at:
            print(f"{how} at {point}: {done} calls returned, found {now!r}, "
                  f"expected {measure[lawful[0]]!r}")
            continue
        for n in range(at[0], OPS): op(ctx, n)
        if state(ctx) != measure[-1]: print(f"{how} at {point}: another end")
print("lived")
"""


@all_cases(("seed", "durable"), some([(1, ""), (2, ""), (3, "turn")], 2))
def test_a_killed_process_resumes_with_what_was_acknowledged(
    tmp_path: Path, seed: int, durable: str
) -> None:
    """Some kill points a seed: by itself between two calls, and from outside anywhere."""
    command = [sys.executable, "-c", LIVES, str(tmp_path), str(seed), str(KILLS), durable]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["lived"]
