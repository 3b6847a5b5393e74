"""The death of the process at any point: C_working goes on as if the process had lived.

Theory of operation
-------------------
A process lives one whole life as the measure, then one more for each kill point, each in a fork
that writes the number of every call that returned. After the kill the workspace is opened again,
compared with the measure, and lived to its end, which has to be that of the measure.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.kit.cases import all_cases, some

ROOT = Path(__file__).parent.parent.parent.parent
KILLS = 14 if os.environ.get("HYPOTHESIS_PROFILE") == "simulate" else 4


LIVES = """
import json, os, random, signal, sys
from pathlib import Path
import msgspec, loom

ROOT, SEED, POINTS = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
DURABLE = sys.argv[4] or False
OPS = 200
WORDS = ("parse", "token", "reader", "index", "shard", "lock", "queue", "retry")

def host(ctx, n, chance):
    own = [("note", {"text": f"noted {n}"}), ("ask", {"id": f"o{n % 9}", "text": f"why {n}"}),
           ("plan", {"items": [f"[>] item {n}", "[ ] rest"]}),
           ("acknowledge", {"id": f"e{n % 23}", "disposition": "replan"})]
    name, arguments = chance.choice(own)
    told = json.dumps({"action": name, **arguments})
    ctx.reply(loom.Reply((loom.ToolCall(f"c{n}", "Read", "{}"),
                          loom.ToolCall(f"o{n}", "working", told))))

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


@all_cases(("seed", "durable"), some([(1, ""), (2, ""), (3, "turn")], 1))
def test_a_killed_process_resumes_with_what_was_acknowledged(
    tmp_path: Path, seed: int, durable: str
) -> None:
    """Some kill points a seed: by itself between two calls, and from outside anywhere."""
    command = [sys.executable, "-c", LIVES, str(tmp_path), str(seed), str(KILLS), durable]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["lived"]
