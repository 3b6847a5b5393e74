"""Processes run to their end under limits: no shell, bounded output, nothing left behind.

Theory of operation
-------------------
A command is a session, and so a process group, of its own. Its input and its outputs are files
without a name, so neither a full pipe nor one who left the session (`setsid`) and holds an output
open stops anybody; what is written past the limit is counted and let go. A child that has ended
stays a zombie until its group was killed, so the number of the group cannot have become someone
else's.

Its limits hold from its first instruction: `prlimit` (util-linux, so on Linux alone) sets them and
becomes the program. Python between fork and exec (`preexec_fn`) dead-locks when another thread
holds a lock at the fork.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from threading import TIMEOUT_MAX, Thread

from msgspec import Struct

from loom.capabilities.toolbox.descriptor import tool_refused

PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"
TAIL = 4_000  # characters of what a failed command said on its standard error


class RunLimits(Struct, frozen=True):
    """The limits of one run. A value of 0 leaves out the limit of memory, processes or file size.

    `seconds` of wall time; `output` bytes that are kept of standard output, and as many of standard
    error; on Linux `memory` bytes of address space for each process; `processes` on top of those
    the system runs already (the kernel counts all of a user's, so it stops a fork bomb and is no
    exact number, and it does not hold for root); `file_size` bytes of a file that is written, an
    output too.
    """

    seconds: float = 60.0
    output: int = 1_000_000
    memory: int = 1 << 30
    processes: int = 64
    file_size: int = 1 << 28


class Ran(Struct, frozen=True):
    """A command that was run.

    `command` is its words; `exit_code` is -n when signal n ended it; `cut` counts the bytes of both
    outputs that were not kept.
    """

    command: tuple[str, ...]
    exit_code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    cut: int = 0
    timed_out: bool = False

    @property
    def ok(self) -> bool:
        """True when it ended by itself, with 0."""
        return self.exit_code == 0 and not self.timed_out

    @property
    def text(self) -> str:
        """The text shown to the model: the output and, after a failure, how and why it ended."""
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


def run(
    words: Sequence[str],
    *,
    shown: Sequence[str],
    cwd: Path,
    stdin: bytes,
    limits: RunLimits,
) -> Ran:
    """Run a program, named by its full path, and wait for its end.

    `shown` is what the result gives as its command. Raises LoomError when it cannot be started;
    when an exception comes from elsewhere, the program is killed.
    """
    began = time.monotonic()
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(
                [*_limited(limits), *words],
                stdin=given,
                stdout=out,
                stderr=err,
                cwd=cwd,
                env=_environment(),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # ValueError: a word with a NUL, a lone surrogate
            why = f"it cannot be started ({getattr(error, 'strerror', None) or error})"
            raise tool_refused(" ".join(words), why, "give less, or look at the folder") from None
        try:
            ended = Thread(target=_wait, args=(process,), name="loom-process", daemon=True)
            ended.start()
            ended.join(min(limits.seconds, TIMEOUT_MAX))
            late = ended.is_alive()
        finally:
            _kill(process)
            process.wait()
        kept, cut = [], 0
        for file in (out, err):
            cut += max(file.seek(0, os.SEEK_END) - limits.output, 0)
            file.seek(0)
            kept.append(file.read(limits.output))
    seconds = time.monotonic() - began
    return Ran(tuple(shown), process.returncode, kept[0], kept[1], seconds, cut, late)


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a program; where the system can, its status is left to be taken."""
    if not hasattr(os, "waitid"):  # macOS below Python 3.13: its number may be given anew
        process.wait()
        return
    with suppress(ChildProcessError):  # a host that ignores SIGCHLD has no zombies
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # Windows has no process groups
            process.kill()


def _environment() -> dict[str, str]:
    """The variables a program is given: none of the host's, so no tokens, but its time zone."""
    given = {
        "PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "NO_COLOR": "1", "TERM": "dumb",
        "PAGER": "cat", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0",
    }  # fmt: skip
    return given | ({"TZ": os.environ["TZ"]} if "TZ" in os.environ else {})


def _limited(limits: RunLimits) -> list[str]:
    """The words before a command that hold it, and all it starts, to limits; none where the system
    has no program for it."""
    program = shutil.which("prlimit", path=PATH)
    if program is None:
        return []
    import resource

    most = {
        "as": limits.memory,
        "nproc": limits.processes and _tasks() + limits.processes,
        "fsize": limits.file_size,
    }
    words = [program, "--core=0"]
    for name, limit in most.items():
        _, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
        words += [f"--{name}={limit if hard < 0 else min(limit, hard)}"] if limit else []
    return [*words, "--"]


def _tasks() -> int:
    """Tasks the system has, an upper bound of the user's; where it does not tell, a high guess."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except OSError:
        return 4_096
