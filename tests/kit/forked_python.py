"""Programs of Python run in forks of one process that has imported Loom, as a reader runs them.

A process of its own takes a second to import what a program uses; a fork has it. Each program is
`__main__`, in a folder and an environment of its own, and ends as a process ends.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATHS = (ROOT, ROOT / "partitions", ROOT / "paging", ROOT / "benchmarks")
HOST = """
import gc, json, os, runpy, sys, tempfile, traceback
import loom
with tempfile.TemporaryDirectory() as folder, loom.open(folder, durable=False) as ctx:
    ctx.user("Go.")
    ctx.turn().request("openai")
    ctx.reply(loom.Reply((loom.ToolCall("c1", "Read", "{}"),)))
    ctx.result("c1", "text")
    ctx.renew()
    ctx.recall("text")
gc.collect()
gc.freeze()

def run(folder, script, environment):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        flags = os.O_RDONLY if name == "stdin" else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        at = os.devnull if name == "stdin" else environment["FORKED"] + name
        os.dup2(os.open(at, flags, 0o600), number)
    sys.argv = [script]
    sys.path.insert(0, folder)
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit:
        raise
    except BaseException:
        traceback.print_exc()
        sys.exit(1)

for line in sys.stdin:
    child = os.fork()
    if not child:
        run(*json.loads(line))
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class ForkedPython:
    """The process that has imported Loom."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, script: Path, said: Path, environment: Mapping[str, str]) -> tuple[int, str, str]:
        """Run a script in its folder: exit code, stdout and stderr, which are files in `said`."""
        given = {**environment, "FORKED": f"{said}{os.sep}"}
        print(
            json.dumps([str(script.parent), script.name, given]),
            file=self._process.stdin,
            flush=True,
        )
        code = int(self._process.stdout.readline())
        return code, *((said / name).read_text("utf-8") for name in ("stdout", "stderr"))


@contextmanager
def forked_python(*options: str) -> Iterator[ForkedPython]:
    """The process, started with options of the interpreter."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, PATHS)),
        "PYTHONIOENCODING": "utf-8",
    }
    with subprocess.Popen(
        [sys.executable, *options, "-c", HOST],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        yield ForkedPython(process)
        process.stdin.close()
