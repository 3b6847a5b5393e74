"""Scripts of the project, run and remembered; the tools any project has; limits that hold."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loom.capabilities.toolbox import builtin
from loom.capabilities.toolbox.descriptor import SCRIPT, ToolDescriptor
from loom.capabilities.toolbox.limited_runs import RunLimits, RunResult, run_program
from loom.capabilities.toolbox.scripts import ResultCache, Scripts
from loom.errors import LoomError
from tests.kit.cases import all_cases

ECHO = '"""Says what it was given.\n\nAnd more."""\nimport sys\nprint(sys.stdin.read(), end="")\n'
# Counts its runs in a file no result depends on.
COUNTS = """
import json, sys
from helper import times
with open("runs", "a") as file:
    file.write("x")
print(times * json.load(sys.stdin)["n"])
"""


@pytest.fixture
def counted(project: Path) -> Path:
    """A project whose script leaves a mark each time it runs."""
    (project / "scripts" / "count.py").write_text(COUNTS)
    (project / "scripts" / "helper.py").write_text("times = 2\n")
    return project


def runs(project: Path) -> int:
    """How often it was run."""
    path = project / "runs"
    return len(path.read_text()) if path.exists() else 0


def test_no_scripts(project: Path, tmp_path: Path) -> None:
    """A project without scripts has none, with and without the folder."""
    assert Scripts(project).descriptors() == ()
    with pytest.raises(LoomError, match="no such script; there are none"):
        Scripts(project).run("scripts/x.py")
    with pytest.raises(LoomError, match="no folder"):
        Scripts(tmp_path / "none")


REFUSED = {
    "only .py files": ("", "scripts", "scripts/notes.txt"),
    "only .py files in scripts": ("src/b.py", "scripts/../src/b.py", "scripts/within.py"),
    "no such script": ("scripts/missing.py", "scripts/folder.py"),
    "outside the project": ("../outside/evil.py", "/etc/evil.py", "~/evil.py"),
    "a link leads it outside": ("scripts/out.py",),
    "no path": ("scripts/a\0b.py",),
}


@all_cases(("path", "why"), [(path, why) for why, paths in REFUSED.items() for path in paths])
def test_refused(project: Path, tmp_path: Path, path: str, why: str) -> None:
    """Only a script of the folder is run, and no link leads to another."""
    (tmp_path / "outside" / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    (project / "scripts" / "notes.txt").write_text("")
    (project / "scripts" / "folder.py").mkdir()
    (project / "scripts" / "out.py").symlink_to(tmp_path / "outside" / "evil.py")
    (project / "scripts" / "within.py").symlink_to("../src/b.py")
    with pytest.raises(LoomError, match=why):
        Scripts(project).run(path)
    assert not (tmp_path / "ran").exists()
    assert Scripts(project).descriptors() == ()


def test_descriptors(project: Path) -> None:
    """Scripts are listed by name with the first line of their docstring, and none is run."""
    folder = project / "scripts"
    (folder / "echo.py").write_text(ECHO)
    (folder / "broken.py").write_text("def (:\n")
    (folder / "bare.py").write_text("open('ran', 'w')\n")
    (folder / "_part.py").write_text("")
    (folder / "odd.py").write_bytes(b'"""\xff caf\xc3\xa9"""\n')
    (folder / "null.py").write_bytes(b"\0")
    (folder / "sub").mkdir()
    (folder / "sub" / "deep.py").write_text("'''Deep.'''")
    found = {one.name: one for one in Scripts(project).descriptors()}
    assert list(found) == [
        *(f"scripts/{name}.py" for name in ("bare", "broken", "echo", "null", "odd")),
        "scripts/sub/deep.py",
    ]
    assert found["scripts/echo.py"].description == "Says what it was given."
    assert found["scripts/sub/deep.py"].description == "Deep."
    assert found["scripts/bare.py"].description == ""
    assert "not a script Python reads" in found["scripts/broken.py"].description
    assert "café" in found["scripts/odd.py"].description
    assert all(one.level == SCRIPT and one.requires_approval for one in found.values())
    assert not (project / "ran").exists()


def test_threads(counted: Path, tmp_path: Path) -> None:
    """Eight threads at one cache get what they asked for."""
    scripts = Scripts(counted, cache=tmp_path / "cache")

    def ask(n: int) -> bytes:
        return b"".join(scripts.run("scripts/count.py", {"n": n % 4}).stdout for _ in range(3))

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(ask, range(8)))
    assert said == [f"{n % 4 * 2}\n".encode() * 3 for n in range(8)]
    assert 4 <= runs(counted) <= 8
    assert len(os.listdir(tmp_path / "cache")) == 4  # noqa: PTH208


RAN = RunResult(("python", "x"), 0, b"\0\xff", b"", 0.5)


@pytest.mark.parametrize("data", [b"", b"x", b"x" * 100])
def test_damage(tmp_path: Path, data: bytes) -> None:
    """A file that is not whole is not there, and is replaced by the next result."""
    results = ResultCache(tmp_path)
    (tmp_path / "k.ran").write_bytes(data)
    assert results.get("k") is None
    results.put("k", RAN)
    assert results.get("k") == RAN
    whole = (tmp_path / "k.ran").read_bytes()
    for at in range(len(whole)):
        (tmp_path / "k.ran").write_bytes(whole[:at])
        assert results.get("k") is None


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


BAD: list[tuple[str, Any]] = [
    *(("system:shell", {"command": one} if one else {}) for one in ("", 3, ["ls"], "rm -r .")),
    *(("system:shell", {"command": "ls", **one}) for one in ({"stdin": 3}, {"cwd": []})),
    ("system:shell", {"command": "ls", "args": "-l"}),
    *(("python:run_script", one) for one in ({}, {"path": None}, {"path": "scripts/x.py"})),
]


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


def python(folder: Path, code: str, limits: RunLimits | None = None) -> RunResult:
    """Run some Python under limits."""
    words = [sys.executable, "-S", "-c", code]
    return run_program(words, shown=words, cwd=folder, stdin=b"", limits=limits or RunLimits())


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


@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/stdout")
def test_an_output_that_is_opened_again(tmp_path: Path) -> None:
    """What was printed before stays, as in a terminal; no temporary folder is needed."""
    code = "print('one', flush=True); open('/dev/stdout', 'w').write('two'); print('three')"
    assert python(tmp_path, code).stdout.splitlines() == [b"one", b"twothree"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which processes run")
def test_the_group_is_killed(tmp_path: Path) -> None:
    """What a program started in its session ends with it."""
    assert python(tmp_path, FORKS).exit_code == 0
    pid = int((tmp_path / "pid").read_text())
    while alive(pid):  # killed, it dies when the system comes to it: the timeout judges
        os.sched_yield()
