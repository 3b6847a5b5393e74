"""Reopened, forgotten, shared, killed: what was acknowledged is there, and no id comes twice."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.capabilities.memory.longterm import BusyStore, open_longterm

Run = Callable[..., "subprocess.Popen[str]"]
HOLDS = """
import sys
from loom.capabilities.memory.longterm import open_longterm
with open_longterm(*sys.argv[1:]) as store:
    with store.writing():
        print("held", flush=True)
        sys.stdin.readline()
"""


def test_a_store_in_use_says_so(path: Path, engine: str, run: Run) -> None:
    """Who waits in vain is told; nothing is harmed, and the next call works."""
    process = run(HOLDS, path, engine)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    with (
        pytest.raises(BusyStore, match="another process"),
        open_longterm(path, engine, wait=0.01) as store,
    ):
        store.save("x", now=1)
    process.communicate("\n")
    with open_longterm(path, engine, wait=0.01) as store:
        assert store.save("x", now=1).id == 1
