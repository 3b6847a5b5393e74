"""Commands of `loom` in a terminal of a test's own."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from benchmarks.__main__ import app as benchmarks_app
from loom.cli.app import app
from tests.kit.command import COMMAND

pty = pytest.importorskip("pty", reason="no pseudo-terminals on this platform")
OVER = b"<over>"


def on_terminal(*tokens: str | Path, **environment: str) -> str:
    """What a command writes to a terminal of 100 columns, exit code 0 asserted."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment}
    env = {name: value for name, value in env.items() if name != "NO_COLOR" or value}
    process = subprocess.Popen([*COMMAND, *map(str, tokens)], stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    data = b""
    while True:
        try:
            more = os.read(ours, 65_536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        data += more
    os.close(ours)
    assert process.wait() == 0
    return data.decode()


def commands_of(name: str) -> list[str]:
    """The names of an app's commands, its flags left out."""
    held = {"loom": app, "benchmarks": benchmarks_app}[name]
    return sorted(one for one in held if not one.startswith("-"))


@contextmanager
def terminal(columns: int = 100) -> Iterator[list[str]]:
    """Stdout and stderr lead to a terminal; what it was sent is in the list at the end."""
    ours, theirs = pty.openpty()
    sent = bytearray()

    def drain() -> None:
        while OVER not in sent[-65_536 - len(OVER) :]:  # a read may end in the middle of it
            sent.extend(os.read(ours, 65_536))

    reader = threading.Thread(target=drain)
    reader.start()
    told: list[str] = []
    try:
        with (
            os.fdopen(theirs, "w", encoding="utf-8", errors="backslashreplace") as stream,
            redirect_stdout(stream),
            redirect_stderr(stream),
        ):
            yield told
            stream.flush()
            os.write(theirs, OVER)  # a process that was started may keep the terminal open
            reader.join()
    finally:
        os.close(ours)
        told.append(sent.replace(OVER, b"").decode("utf-8", "surrogateescape"))
