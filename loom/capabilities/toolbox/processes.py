"""Processes run to their end under limits: no shell, bounded output, nothing left behind.

Theory of operation
-------------------
Limits must hold from the program's first instruction, and be set without running Python between
fork and exec (`preexec_fn`), which dead-locks when another thread holds a lock at the fork.
`resource.prlimit` on a child that runs already comes too late for what it has forked by then, and
is Linux's alone. So each program is started by a small one, a bare Python that sets the limits of
its own process and becomes the program (exec): some 25 ms a command on a slow machine.

Each command is a session, and so a process group, of its own. One thread, the caller's, reads all
outputs as they come and keeps the first bytes of each, so neither a full pipe nor a flood stops it.
A child that has ended stays a zombie until its group was killed, so the number of the group cannot
have become someone else's. What left its session (`setsid`) is out of reach: it is not waited for.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from loom.capabilities.toolbox.errors import ToolRefused
from loom.capabilities.toolbox.run_result import Ran, RunLimits

READ = 1 << 16  # bytes at a time
LOOK, SOON = 0.05, 0.002  # seconds between looks at children, while outputs are open and after
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


class _Output:
    """The first bytes of an output, and how many came after them."""

    def __init__(self, most: int) -> None:
        self.kept, self.cut, self._most = bytearray(), 0, most

    def take(self, data: bytes) -> None:
        room = self._most - len(self.kept)
        self.kept += data[:room]
        self.cut += max(len(data) - room, 0)


def run(
    stages: Sequence[Sequence[str]],
    *,
    shown: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    stdin: bytes,
    limits: RunLimits,
    clock: Callable[[], float] = time.monotonic,
) -> Ran:
    """Run a pipeline of programs, each named by its full path, and wait for its end.

    `shown` is what the result gives as its command, `clock` gives seconds. Raises ToolRefused when
    one cannot be started; what was started by then is killed, as it is when an exception comes from
    elsewhere.
    """
    began = clock()
    out, err = _Output(limits.output), _Output(limits.output)
    begun: list[subprocess.Popen[bytes]] = []
    with _killed(begun):
        errors = _start(stages, begun, cwd, environment, stdin, limits)
        with errors, selectors.DefaultSelector() as ends:
            last = begun[-1].stdout
            if last is not None:
                ends.register(last, selectors.EVENT_READ, out)
            ends.register(errors, selectors.EVENT_READ, err)
            first = begun[0].stdin
            if first is not None:
                os.set_blocking(first.fileno(), False)
                ends.register(first, selectors.EVENT_WRITE, memoryview(stdin))
            timed_out = _wait(begun, ends, began + limits.seconds, clock)
    return Ran(
        tuple(shown),
        begun[-1].returncode,
        bytes(out.kept),
        bytes(err.kept),
        clock() - began,
        out.cut + err.cut,
        timed_out,
    )


def _start(
    stages: Sequence[Sequence[str]],
    begun: list[subprocess.Popen[bytes]],
    cwd: Path,
    environment: Mapping[str, str],
    stdin: bytes,
    limits: RunLimits,
) -> IO[bytes]:
    """Start all commands, into `begun`; the end to read what they say on standard error."""
    become = [sys.executable, "-I", "-S", "-c", _BECOME, _limited(limits)]
    with ExitStack() as failed:
        reads, writes = os.pipe()
        errors = failed.enter_context(os.fdopen(reads, "rb", buffering=0))
        with os.fdopen(writes, "wb", buffering=0) as said:
            source: IO[bytes] | int = subprocess.PIPE if stdin else subprocess.DEVNULL
            for stage in stages:
                try:
                    process = subprocess.Popen(
                        [*become, *stage],
                        stdin=source,
                        stdout=subprocess.PIPE,
                        stderr=said,
                        cwd=cwd,
                        env=dict(environment),
                        start_new_session=True,
                        bufsize=0,
                    )
                except OSError as error:
                    why = f"it cannot be started ({error.strerror})"
                    raise ToolRefused(
                        " ".join(stage), why, "give less, or look at the folder"
                    ) from None
                if begun and begun[-1].stdout is not None:
                    begun[-1].stdout.close()  # the next command holds it now
                begun.append(process)
                source = process.stdout or subprocess.DEVNULL
        failed.pop_all()
    return errors


def _wait(
    begun: Sequence[subprocess.Popen[bytes]],
    ends: selectors.BaseSelector,
    until: float,
    clock: Callable[[], float],
) -> bool:
    """Move bytes until all has ended, then kill what is left of the groups; whether it was late."""
    late = killed = False
    while (running := not all(map(_ended, begun))) or ends.get_map():
        left = until - clock()
        if left <= 0 and killed:
            break  # someone out of reach holds an output open
        if not killed and (left <= 0 or not running):
            late, killed = running, True
            _kill(begun)
            until, left = clock() + GRACE, GRACE
        look = LOOK if ends.get_map() else SOON
        for key, _ in ends.select(min(look, left)):
            _move(ends, key)
    return late


def _move(ends: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    """Read from, or write to, one end that is ready; close it when it is done."""
    done = False
    if isinstance(key.data, _Output):
        data = os.read(key.fd, READ)
        key.data.take(data)
        done = not data
    else:
        rest = key.data
        try:
            rest = rest[os.write(key.fd, rest[:READ]) :]
        except BlockingIOError:
            return
        except OSError:  # nobody reads
            rest = rest[:0]
        ends.modify(key.fileobj, selectors.EVENT_WRITE, rest)
        done = not rest
    if done:
        ends.unregister(key.fileobj)
        key.fileobj.close()  # type: ignore[union-attr]


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """True when it has ended; its status is left for others to take, where the system can."""
    if not hasattr(os, "waitid"):  # macOS below Python 3.13: its number may be given anew
        return process.poll() is not None
    try:
        found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # a host that ignores SIGCHLD has no zombies
        return True
    return found is not None


def _kill(begun: Sequence[subprocess.Popen[bytes]]) -> None:
    # The last first: one whose writer is killed before it would end as if it had read all.
    for process in reversed(begun):
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:  # Windows has no process groups
                process.kill()


@contextmanager
def _killed(begun: Sequence[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Leave no process and no open end behind, whatever happens."""
    try:
        yield
    finally:
        _kill(begun)
        for process in begun:
            for end in (process.stdin, process.stdout):
                if end is not None:
                    end.close()
            process.wait()


def _limited(limits: RunLimits) -> str:
    """The limits as the starting program reads them."""
    most = {
        "RLIMIT_AS": limits.memory,
        "RLIMIT_NPROC": limits.processes and _tasks() + limits.processes,
        "RLIMIT_FSIZE": limits.file_size,
    }
    return " ".join(
        ["RLIMIT_CORE=0", *(f"{name}={value}" for name, value in most.items() if value)]
    )


def _tasks() -> int:
    """Tasks the system has, an upper bound of the user's; where it does not tell, a high guess."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 4_096
