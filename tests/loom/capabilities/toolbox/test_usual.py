"""The tools every project can have, limits that hold, and processes that outlive no run."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loom.capabilities.toolbox import builtin
from loom.capabilities.toolbox.descriptor import ToolDescriptor
from loom.capabilities.toolbox.processes import Ran, RunLimits, run
from loom.errors import LoomError
from tests.kit.cases import all_cases


def test_they_cost_nothing(project: Path) -> None:
    """Neither is declared; both are listed, with what they need."""
    box = builtin(project)
    assert box.declared() == ()
    assert [(one.name, one.level, one.requires_approval) for one in box.find("")] == [
        ("system:shell", 2, False),
        ("python:run_script", 3, True),
    ]
    assert box.find("system_shell")[0].name == "system:shell"
    assert box.find("grep in files")[0].name == "system:shell"
    assert box.find("python script")[0].name == "python:run_script"


SHELL: list[Any] = [{}, {"command": 3}, {"command": ["ls"]}, {"command": "rm -r ."}]


SHELL += [{"command": "ls", **more} for more in ({"stdin": 3}, {"cwd": []}, {"args": "-l"})]


SCRIPT: list[Any] = [{}, {"path": None}, {"path": "scripts/x.py"}]
BAD = [*(("system:shell", one) for one in SHELL), *(("python:run_script", one) for one in SCRIPT)]


@all_cases(("name", "given"), BAD)
def test_bad_arguments(project: Path, name: str, given: dict[str, Any]) -> None:
    """What a model gets wrong is refused with words it can act on."""
    with pytest.raises(LoomError, match="refused"):
        builtin(project, approve=lambda tool, arguments: tool.name != "system:shell").execute(
            name, given
        )


def test_other_commands_are_asked_about(project: Path) -> None:
    """Not those that are allowed; the host sees the words, and what it says is told."""
    asked: list[dict[str, Any]] = []

    def approve(tool: ToolDescriptor, given: dict[str, Any]) -> bool | str:
        asked.append(given)
        return given["command"] == "echo" or "no network"

    box = builtin(project, allow=[("cat",)], approve=approve)
    assert box.execute("system:shell", {"command": "cat", "args": ["a.txt"]}).ok  # type: ignore[attr-defined]
    assert box.execute("system:shell", {"command": "echo 'a b'"}).ok  # type: ignore[attr-defined]
    with pytest.raises(LoomError, match="no network"):
        box.execute("system:shell", {"command": "curl e.example"})
    assert asked == [
        {"command": "echo", "args": ["a b"]}, {"command": "curl", "args": ["e.example"]},
    ]  # fmt: skip


def python(folder: Path, code: str, limits: RunLimits | None = None) -> Ran:
    """Run some Python under limits."""
    words = [sys.executable, "-S", "-c", code]
    return run(words, shown=words, cwd=folder, stdin=b"", limits=limits or RunLimits())


def alive(pid: int) -> bool:
    """Whether a process runs; one nobody has waited for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


LEAVES = """
import os, signal
if os.fork() == 0:
    os.setsid()
    with open("part", "w") as file:
        file.write(str(os.getpid()))
    os.rename("part", "pid")
    signal.pause()
while not os.path.exists("pid"):
    os.sched_yield()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which processes run")
def test_what_left_its_session_is_not_waited_for(tmp_path: Path) -> None:
    """A daemon that holds the output open does not hold up the run."""
    ran = python(tmp_path, LEAVES)
    pid = int((tmp_path / "pid").read_text())
    try:
        assert not ran.timed_out and ran.exit_code == 0
        assert alive(pid)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


FLOODS = "import os\nos.write(1, b'a' * 3_000_000)\nos.write(2, b'b' * 3_000_000)"
FORKS = """
import os, signal
pid = os.fork()
if pid == 0:
    signal.pause()
with open("pid", "w") as file:
    file.write(str(pid))
"""


def test_limits(tmp_path: Path) -> None:
    """Time, bytes of output, memory and bytes of a file are bounded, each by its limit."""
    late = python(tmp_path, "import signal; signal.pause()", RunLimits(seconds=0.3))
    assert late.timed_out and late.exit_code == -signal.SIGKILL and "stopped after" in late.text
    flood = python(tmp_path, FLOODS, RunLimits(output=1_000))
    assert (len(flood.stdout), len(flood.stderr), flood.cut) == (1_000, 1_000, 5_998_000)
    assert b"MemoryError" in python(tmp_path, "b'x' * (1 << 31)").stderr
    python(tmp_path, "open('f', 'wb').write(b'x' * 4_096)", RunLimits(file_size=1_024))
    assert (tmp_path / "f").stat().st_size == 1_024


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which processes run")
def test_the_group_is_killed(tmp_path: Path) -> None:
    """What a program started in its session ends with it."""
    assert python(tmp_path, FORKS).exit_code == 0
    pid = int((tmp_path / "pid").read_text())
    while alive(pid):  # killed, it dies when the system comes to it: the timeout judges
        os.sched_yield()
