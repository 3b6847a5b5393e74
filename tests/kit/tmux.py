"""A terminal of its own for a test: tmux, on a socket of its own. Skipped where there is no tmux,
but for EVERY_PACKAGE, with which that fails."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.kit.command import CODE

OTHERS = ("TMUX", "COLUMNS", "LINES", "NO_COLOR")  # what would tell of another terminal
PATIENCE = 60.0  # seconds a screen may take to show what it is to show


class Tmux:
    """One tmux server with one session, a shell in it. `folder` holds its socket and its notes."""

    def __init__(self, folder: Path, columns: int, rows: int) -> None:
        self._socket = folder / "s"
        self._loom = shlex.join([sys.executable, "-c", CODE])
        env = {name: value for name, value in os.environ.items() if name not in ("TMUX", "COLUMNS")}
        env |= {"PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C.UTF-8", "PS1": "$ "}
        self._env = {
            name: value for name, value in env.items() if name not in ("NO_COLOR", "LINES")
        }
        size = ("-x", str(columns), "-y", str(rows))
        self("-f", "/dev/null", "new-session", "-d", "-s", "t", *size, "env -u ENV sh")

    def __call__(self, *words: str) -> str:
        """Run a command of tmux; what it prints."""
        command = ["tmux", "-u", "-S", str(self._socket), *words]
        return subprocess.run(
            command, env=self._env, capture_output=True, text=True, check=True, timeout=PATIENCE
        ).stdout

    def keys(self, *keys: str) -> None:
        """Type keys by their names."""
        self("send-keys", "-t", "t", *keys)

    def start(self, *tokens: str | Path, after: str = "") -> None:
        """Type a command line of `loom`; `after` is what the shell is to do behind it."""
        self.keys(f"clear; {self._loom} {shlex.join(map(str, tokens))}; {after}", "Enter")

    def run(self, *tokens: str | Path, pipe: str = "") -> str:
        """Run a command of `loom` to its end; everything the terminal was shown since."""
        line = f"{self._loom} {shlex.join(map(str, tokens))} {pipe}"
        self("clear-history", "-t", "t")
        self.keys(f"clear; {line}; tmux wait-for -S over", "Enter")
        self("wait-for", "over")
        return self.screen(history=True)

    def screen(self, *, history: bool = False) -> str:
        """What stands on the screen, with `history` above it."""
        return self("capture-pane", "-p", "-t", "t", *(("-S", "-") if history else ()))

    def until(self, shown: Callable[[str], bool]) -> str:
        """The screen as soon as it shows what is waited for; fails when it never does."""
        end = time.monotonic() + PATIENCE
        while not shown(screen := self.screen()):
            assert time.monotonic() < end, screen
            time.sleep(0.02)  # nothing tells when a screen changes
        return screen

    def asked(self, what: str) -> str:
        """A variable of the pane, such as `cursor_flag`."""
        return self("display-message", "-p", "-t", "t", f"#{{{what}}}").strip()


@contextmanager
def tmux(folder: Path, columns: int = 80, rows: int = 24) -> Iterator[Tmux]:
    """A terminal of that size, gone at the end."""
    if shutil.which("tmux") is None:
        told = "there is no tmux here (Debian: tmux)"
        pytest.fail(told) if os.environ.get("EVERY_PACKAGE") else pytest.skip(told)
    terminal = Tmux(folder, columns, rows)
    try:
        yield terminal
    finally:
        terminal("kill-server")
