"""Loom where the system lacks what Linux has: each name is taken away before it is imported.

This is no run on macOS or Windows. It shows that nothing asks for these names at import, and that a
session, a restart and the toolbox go on without them.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What each system's Python has not, of what Loom could ask for.
MACOS = ("waitid", "fdatasync", "sched_getaffinity", "posix_fadvise", "O_DIRECT", "O_TMPFILE")
# Not O_NONBLOCK and fchmod: what locks files on the system this runs on needs them.
WINDOWS = (
    *MACOS, "O_NOFOLLOW", "O_DIRECTORY", "killpg", "geteuid", "getuid", "sysconf",
    "register_at_fork", "fork", "setsid", "WNOHANG", "statvfs",
)  # fmt: skip
ABSENT = ("fcntl", "pty", "resource", "pwd", "termios")  # modules that Windows has not
LESS = """
import os, pathlib, sys
import filelock, multiprocessing, selectors, shutil, subprocess, tempfile  # theirs differ there
for name in {names}:
    if hasattr(os, name):
        delattr(os, name)
tempfile._O_TMPFILE_WORKS = hasattr(os, "O_TMPFILE")
for name in {modules}:
    sys.modules[name] = None
whole = pathlib.Path.read_text
def unlisted(path, *given, **named):
    if str(path).startswith("/proc/"):
        raise FileNotFoundError(str(path))
    return whole(path, *given, **named)
pathlib.Path.read_text = unlisted
"""
SESSION = """
import loom
for opened in range(2):
    beat = [loom.Heartbeat(60.0)]
    with loom.open("work", goal="Read on.", window=8_192, capabilities=beat) as ctx:
        for number in range(12):
            ctx.turn()
            call = loom.ToolCall(f"call_{opened}_{number}", "Read", '{"path": "a.txt"}')
            ctx.reply(loom.Reply((call,)))
            ctx.result(call, f"line {number} of {opened}\\n" * 400)
        told = ctx.page_in("read_0001").text
        assert "line 0 of 0" in told
        print(ctx.turn().pressure)
"""
TOOLBOX = """
from pathlib import Path
import loom
from loom.capabilities.toolbox import builtin
Path("scripts").mkdir()
Path("scripts/total.py").write_text('\"\"\"Add.\"\"\"\\nprint(41 + 1)\\n')
box = builtin(Path("."), approve=lambda tool, arguments: True)
with loom.open("work", window=16_000, capabilities=[box]) as ctx:
    ask = '{"name": "scripts/total.py", "arguments": {}}'
    ctx.reply(loom.Reply((loom.ToolCall("call_1", "call_tool", ask),)))
    print(ctx.run(ctx.calls[0]).text)
"""
WATCH = """
import subprocess
from loom.capabilities.events.sources import ProcessWatch
given, gone = (subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]) for _ in range(2))
gone.wait()
processes = ProcessWatch()
processes.watch(given, "build")
processes.watch(gone.pid, "lint")
processes.watch(os.getpid(), "itself")
given.wait()
print(*(signal.summary for signal in processes.look()), sep="; ")
"""


def printed(code: str, names: tuple[str, ...], modules: tuple[str, ...], at: Path) -> str:
    """What a Python without these names and modules prints."""
    paths = (ROOT, ROOT / "partitions", ROOT / "paging")
    done = subprocess.run(
        [sys.executable, "-c", LESS.format(names=names, modules=modules) + code],
        cwd=at,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("names", "modules"),
    [((), ()), (MACOS, ()), (WINDOWS, ABSENT)],
    ids=["all", "macos", "windows"],
)
def test_a_session_goes_on_without(
    names: tuple[str, ...], modules: tuple[str, ...], tmp_path: Path
) -> None:
    """A session is cut, closed and opened again, and a page comes back."""
    assert printed(SESSION, names, modules, tmp_path).count("generation") == 2


def test_a_script_of_the_toolbox_runs_without_waitid(tmp_path: Path) -> None:
    """What it prints is its result; on Windows, where pipes cannot be waited for, none runs."""
    assert "42" in printed(TOOLBOX, MACOS, (), tmp_path)


def test_processes_are_watched_without_waitid(tmp_path: Path) -> None:
    """Of a Popen it is told how it ended, of a number that it is gone; what lives is not told."""
    told = printed(WATCH, MACOS, (), tmp_path)
    assert "build ended with exit code 3" in told
    assert "lint has ended; how is not known" in told and "itself" not in told
