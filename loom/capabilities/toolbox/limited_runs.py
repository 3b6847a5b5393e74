"""Processes run to their end under limits: no shell, bounded output, nothing left behind.

Theory of operation. Limits must hold from the program's first instruction, and be set without
running Python between fork and exec (`preexec_fn`), which dead-locks when another thread holds a
lock at the fork. So each program is started by a small one, a bare Python that sets the limits of
its own process and becomes the program (exec): some 25 ms a command on a slow machine.

A command is a session, and so a process group, of its own. A thread for each output reads the
output as it comes and keeps the first bytes, so neither a full pipe nor a flood stops the program.
A child that has ended stays a zombie until its group was killed, so the number of the group cannot
have become someone else's. A process that left its session (`setsid`) is not waited for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import TIMEOUT_MAX, Thread
from typing import IO

from msgspec import Struct

from loom.capabilities.toolbox.descriptor import tool_refused

PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"
TAIL = 4_000  # characters of what a failed command said on its standard error
READ = 1 << 16  # bytes at a time
GRACE = 1.0  # seconds in which the outputs of a killed group must end

_BECOME = """
import os, resource, signal, sys
for pair in sys.argv[1].split():
    name, most = pair.split("=")
    try:
        kind, most = getattr(resource, name), int(most)
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))
    except (AttributeError, OSError, ValueError):
        pass  # a system without this limit
for name in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them, and so would the program
    signal.signal(getattr(signal, name), signal.SIG_DFL)
os.execv(sys.argv[2], sys.argv[2:])
"""


class RunLimits(Struct, frozen=True):
    """Limits for one run of a program. For `memory`, `processes` and `file_size`, 0 means no limit.

    `seconds` is wall time. `output` is how many bytes of standard output are kept, and as many of
    standard error. `memory` is bytes of address space per process, `file_size` bytes per written
    file. `processes` is about how many processes the run may add to the existing processes; root
    has no such limit."""

    seconds: float = 60.0
    output: int = 1_000_000
    memory: int = 1 << 30
    processes: int = 64
    file_size: int = 1 << 28


class RunResult(Struct, frozen=True):
    """The result of running a program. `command` has the words of the command. `exit_code` is -n if
    signal n ended the program. `stdout` and `stderr` are the first bytes of its outputs; `cut`
    counts the bytes not kept. `seconds` is wall time. `timed_out` is True if the time limit stopped
    the program."""

    command: tuple[str, ...]
    exit_code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    cut: int = 0
    timed_out: bool = False

    @property
    def ok(self) -> bool:
        """Return True if the program ended in time, with exit code 0."""
        return self.exit_code == 0 and not self.timed_out

    @property
    def text(self) -> str:
        """Return the output as a text for the model, with the reason if the program failed."""
        said = self.stdout.decode("utf-8", "replace")
        notes = [f"[{self.cut:,} more bytes were not kept]"] if self.cut else []
        if self.timed_out:
            notes.append(f"[stopped after {self.seconds:.1f} s]")
        elif self.exit_code:
            notes.append(f"[exit code {self.exit_code}]")
        if not self.ok:
            notes.append(self.stderr.decode("utf-8", "replace").strip()[-TAIL:])
        parts = [said.rstrip("\n") if notes else said, *notes]
        return "\n".join(part for part in parts if part) if notes else said


class _BoundedOutput:
    """Collects a program's output: `kept` has at most its first `most` bytes, `cut` counts the
    rest."""

    def __init__(self, most: int) -> None:
        self.kept, self.cut, self._most = bytearray(), 0, most

    def read(self, end: IO[bytes]) -> None:
        """Read the program's output from the pipe `end` until it closes."""
        with end:
            while data := end.read(READ):
                room = self._most - len(self.kept)
                self.kept += data[:room]
                self.cut += max(len(data) - room, 0)


def run_program(
    words: Sequence[str],
    *,
    shown: Sequence[str],
    cwd: Path,
    stdin: bytes,
    limits: RunLimits,
) -> RunResult:
    """Run a program, wait for its end and return its result. `words` begin with the program's full
    path; `shown` becomes the `command` of the result. Raises LoomError if the program cannot be
    started. Any other exception, such as KeyboardInterrupt, kills the program."""
    began = time.monotonic()
    become = [sys.executable, "-I", "-S", "-c", _BECOME, _limit_words(limits)]
    try:
        process = subprocess.Popen(
            [*become, *words],
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=_child_environment(),
            start_new_session=True,
            bufsize=0,
        )
    except (OSError, ValueError) as error:  # ValueError: a word with a NUL, a lone surrogate
        why = f"it cannot be started ({getattr(error, 'strerror', None) or error})"
        raise tool_refused(" ".join(words), why, "give less, or look at the folder") from None
    out, err = _BoundedOutput(limits.output), _BoundedOutput(limits.output)
    threads = []
    try:
        assert process.stdout is not None and process.stderr is not None
        threads = [_start_thread(out.read, process.stdout), _start_thread(err.read, process.stderr)]
        if process.stdin is not None:
            threads.append(_start_thread(_write_input, process.stdin, stdin))
        ended = _start_thread(_wait_for_end, process)
        threads.insert(0, ended)
        ended.join(min(limits.seconds, TIMEOUT_MAX))
        late = ended.is_alive()
    finally:
        _kill_group(process)
        until = time.monotonic() + GRACE
        for thread in threads:  # one who left its session may hold an output open
            thread.join(max(until - time.monotonic(), 0))
        process.wait()
    kept, said, lost = bytes(out.kept), bytes(err.kept), out.cut + err.cut
    return RunResult(
        tuple(shown), process.returncode, kept, said, time.monotonic() - began, lost, late
    )


def _start_thread(work: Callable[..., None], *given: object) -> Thread:
    """Start a daemon thread that runs `work(*given)`, and return it."""
    thread = Thread(target=work, args=given, name="loom-output", daemon=True)
    thread.start()
    return thread


def _write_input(end: IO[bytes], data: bytes) -> None:
    """Write `data` to a program's standard input and close the input. Errors are ignored."""
    rest = memoryview(data)
    with suppress(OSError), end:  # nobody reads
        while rest:
            rest = rest[end.write(rest[:READ]) :]


def _wait_for_end(process: subprocess.Popen[bytes]) -> None:
    """Wait until a program ends. If possible the program stays a zombie, so that the number of its
    process group is not given to another."""
    if not hasattr(os, "waitid"):  # macOS below Python 3.13: its number may be given anew
        process.wait()
        return
    with suppress(ChildProcessError):  # a host that ignores SIGCHLD has no zombies
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and all others in its group; on Windows only the process."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # Windows has no process groups
            process.kill()


def _child_environment() -> dict[str, str]:
    """Return the environment variables for a program: fixed values without secrets, and the host's
    TZ."""
    given = {
        "PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "NO_COLOR": "1", "TERM": "dumb",
        "PAGER": "cat", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0",
    }  # fmt: skip
    return given | ({"TZ": os.environ["TZ"]} if "TZ" in os.environ else {})


def _limit_words(limits: RunLimits) -> str:
    """Return the limits for the starter program: "RLIMIT_CORE=0 RLIMIT_AS=1073741824"."""
    most = {
        "RLIMIT_AS": limits.memory,
        "RLIMIT_NPROC": limits.processes and _task_count() + limits.processes,
        "RLIMIT_FSIZE": limits.file_size,
    }
    given = [f"{name}={value}" for name, value in most.items() if value]
    return " ".join(["RLIMIT_CORE=0", *given])


def _task_count() -> int:
    """Return the number of tasks of all users in the system; 4,096 if unknown."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 4_096
