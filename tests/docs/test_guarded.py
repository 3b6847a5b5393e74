"""The guarded loop of the guide goes on correctly, wherever the program that runs it was killed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import loom
from tests.docs.test_snippets import BLOCK, ROOT
from tests.kit.cases import all_cases

GUARDED = next(b for b in BLOCK.findall((ROOT / "docs/embed.md").read_text("utf-8")) if "key=" in b)
# A provider that asks for two calls after each message, then answers; the program is killed at
# the step its argument names: before or behind a message, a result, a turn, a reply.
MESSAGES = ["Mend the parser.", "Now write the docs."]
AROUND = """
import os, sys
steps = 0
def at(done):
    global steps
    steps += 1
    if steps == int(sys.argv[1]):
        os._exit(9)
    return done
def answered(turn, text):
    said = [m for m in turn.request("openai")["messages"] if m["role"] != "system"]
    told = [m["content"] for m in said if m["content"] in MESSAGES]
    if said[-1]["role"] == "tool":
        return {"role": "assistant", "content": f"Done: {told[-1]}"}
    calls = [
        {"id": f"{told[-1][:4]}{n}", "type": "function",
         "function": {"name": "read", "arguments": "{}"}} for n in (1, 2)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}
"""
STEPS = {
    r"(ctx\.user\(.*\))$": r"at(None); at(\1)",
    r"(ctx\.result\(.*\))$": r"at(None); at(\1)",
    r"turn = (ctx\.turn\(\))$": r"turn = at(\1)",
    r"ctx\.reply\(.*$": r"reply = at(answered(turn, text)); at(ctx.reply(reply))",
}


def killed(folder: Path, step: int) -> subprocess.CompletedProcess[str]:
    """The block run until it is killed at a step; 0 lets it run to its end."""
    block = GUARDED
    for found, put in STEPS.items():
        block, times = re.subn(found, put, block, flags=re.MULTILINE)
        assert times == 1, found
    (folder / "block.py").write_text(f"MESSAGES = {MESSAGES}{AROUND}{block}", "utf-8")
    command = [sys.executable, "block.py", str(step)]
    paths = ":".join(map(str, (ROOT, ROOT / "partitions", ROOT / "paging")))
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={"PYTHONPATH": paths}
    )


@all_cases("step", (5, 7, 17))
def test_it_goes_on_wherever_it_was_killed(tmp_path: Path, step: int) -> None:
    """Each message is in once and has its answer; each call has its own result, once, and none an
    error that Loom made: also where it is killed between the reply and the results."""
    folder = tmp_path / str(step)
    folder.mkdir()
    assert killed(folder, step).returncode == 9
    done = killed(folder, 0)
    assert (done.returncode, done.stdout) == (0, "Done: Now write the docs.\n"), done.stderr
    with loom.open(folder / "runs/guarded") as ctx:
        said = [m for m in ctx.turn().request("openai")["messages"] if m["role"] != "system"]
        assert [m["content"] for m in said if m["content"] in MESSAGES] == MESSAGES
        results = [(m["tool_call_id"], m["content"]) for m in said if m["role"] == "tool"]
        assert results == [(f"{name}{n}", "…") for name in ("Mend", "Now ") for n in (1, 2)]
        answers = [m["content"] for m in said if m["role"] == "assistant" and m["content"]]
        assert answers == [f"Done: {message}" for message in MESSAGES]
