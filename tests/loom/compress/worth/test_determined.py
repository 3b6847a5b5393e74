"""What a session sends does not depend on how a process orders its sets."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json, sys, loom
from loom.compress.worth.fitted import fitted
from loom.compress.worth.worth import Worths

def called(ctx, number, tool, args, result):
    call = loom.ToolCall(f"c{number}", tool, json.dumps(args))
    ctx.reply(loom.Reply((loom.Speech(f"Now part_{number % 7} and helper_{number % 5}."), call)))
    ctx.result(call, result)

bare = loom.Policy(own_tools=False)
with loom.open(sys.argv[1], window=12_000, policy=bare, durable=False) as ctx:
    ctx.user("Mend parse_args, run_all and write_out in all of the parts, please.")
    for number in range(60):
        part = f"src/part_{number % 7}.py"
        lines = (
            f"{n:6d}\\tdef helper_{n}_{number % 7}(x): return run_all_{n}(x, part_{number % 7})\\n"
            for n in range(1, 60)
        )
        if number % 4 == 3:
            old = f"run_all_{number}(x"
            called(ctx, number, "Edit", {"path": part, "old_string": old, "new_string": "y("}, "ok")
        elif number % 4 == 2:
            hits = "".join(f"src/part_{n}.py:{n * 7 + 1}: helper_{n}\\n" for n in range(7))
            called(ctx, number, "Grep", {"pattern": f"helper_{number % 9}|run_all_3"}, hits)
        else:
            called(ctx, number, "Read", {"path": part}, "".join(lines))
        if number % 9 == 8:
            ctx.user(f"Mind helper_{number}_3 and run_all_{number % 30}, too.")
        if number == 40:
            ctx.renew(history=4_000)
        request = ctx.turn().request()
        said = json.dumps([request["messages"], request.get("tools")])
        print(said.replace(ctx.window.config.mark, "MARK"))
        catalog = ctx._engine.survey.catalog()
        worths = Worths(catalog, ctx.window.working, fitted(), ctx.window.limits.capacity)
        print(json.dumps(sorted((key, worths.of(key)) for key in catalog.units)))
    assert ctx.window.sent.cuts > 2
"""


MARK = re.compile(rb"\[paged in (\w{4}): ")
CLOCK = re.compile(rb"heartbeat \d\d:\d\d:\d\d")


def started(folder: Path, seed: str) -> subprocess.Popen[bytes]:
    """A process with this seed that says every request of the session, and what every unit is
    worth then.
    """
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder / seed)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=Path(__file__).resolve().parents[4],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def requests(process: subprocess.Popen[bytes]) -> bytes:
    """What it said, without the time of day and the session's mark."""
    said, error = process.communicate(timeout=240)
    assert process.returncode == 0, error.decode()
    found = MARK.search(said)
    said = said.replace(found[1], b"MARK") if found else said
    return CLOCK.sub(b"heartbeat", said)


def test_processes_send_the_same_bytes(tmp_path: Path) -> None:
    """The same session with sets in another order makes the same requests, byte for byte."""
    one, two = map(requests, [started(tmp_path, seed) for seed in ("1", "2")])
    assert one.count(b"\n") == 2 * 60
    assert b"[paged in " in one
    first, other = (hashlib.sha256(sent).hexdigest() for sent in (one, two))
    assert other == first
