"""Commands of `loom` in a terminal of a test's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="no pseudo-terminals on this platform")
# A shell that runs tests in the background lets them, and what they start, ignore an interrupt.
CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from loom.cli import main
sys.exit(main())
"""
COMMAND = [sys.executable, "-c", CODE]


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
