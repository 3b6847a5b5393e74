"""`loom` as a program on the PATH, and clients that are told of it by their own commands."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from tests.kit.mcp_client import COMMAND, PATHS
from tests.serve.clients import Run, installed, ran

ADD = ("mcp", "add", "loom", "--")


def program(home: Path) -> Path:
    """A program `loom` in a folder of this home: this repository's."""
    path = home / "bin" / "loom"
    path.parent.mkdir(parents=True, exist_ok=True)
    words = shlex.join(COMMAND)
    path.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(PATHS)} exec {words} "$@"\n')
    path.chmod(0o755)
    return path


def searched(home: Path, *clients: str) -> str:
    """A PATH with that program and these clients."""
    folders = [program(home).parent, *(installed(name).parent for name in clients)]
    return os.pathsep.join([*map(str, folders), os.environ["PATH"]])


def added(home: Path, client: str, *words: str) -> Run:
    """What `CLIENT mcp add loom -- WORDS` printed, run in the folder `work` of the home."""
    run = ran(home, [installed(client), *ADD, *words], {"PATH": searched(home, client)})
    assert run.code == 0, run
    return run
