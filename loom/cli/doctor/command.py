"""`loom doctor`: one line a check, what to do, and an exit code."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from loom.cli.doctor import machine
from loom.cli.doctor.machine import CheckResult
from loom.cli.doctor.wiring import PORT, Wiring
from loom.cli.exits import FINE, FOUND
from loom.cli.show import AsJson, emit, lines, wrapped
from loom.home import home

SIGNS = {"ok": "✓", "fault": "✗", "absent": "–"}


def doctor(*, port: int = PORT, json: AsJson = False) -> int:
    """Say what is wired and works on this machine, and what to do.

    A line begins with ✓ where something works, with ✗ where it is set up and does not, which is
    exit code 1, and with – where it is not set up. Nothing is changed. Looks at the settings of
    Claude Code, Codex and opencode: those of the user, and of the project in the current folder.

    Args:
        port: Where the proxy is looked for, on 127.0.0.1.
    """
    # How a client starts Loom: by name where the PATH leads to it, else by its whole path.
    beside = Path(sys.executable).with_name("loom")
    command = "loom" if shutil.which("loom") or not beside.exists() else str(beside)
    wiring = Wiring(Path.home(), Path.cwd(), os.environ, port, command)
    found = [*machine.findings(home()), *wiring.findings()]
    faults = [one for one in found if one.state == "fault"]
    if json:
        emit({"ok": not faults, "checks": found})
    else:
        lines(text for one in found for text in told(one))
    return FOUND if faults else FINE


def told(one: CheckResult) -> Iterator[str]:
    """The lines of a check, the home folder as `~`; a command is never broken."""
    text = one.told.replace(f"{Path.home()}{os.sep}", f"~{os.sep}")
    yield from wrapped(f"{SIGNS[one.state]} {one.name}: {text}", below="    ")
    if one.todo:
        yield from wrapped(f"→ {one.todo}", "  ", below="    ")
    if one.run:
        yield f"    {one.run}"
