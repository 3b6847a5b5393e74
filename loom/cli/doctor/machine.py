"""Loom itself: Python, what is installed beside it, and the state folder."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from msgspec import Struct

import loom
from loom.cli.show import sized
from loom.exposed import exposed


class CheckResult(Struct, frozen=True):
    """One check: what it is about, how that is, and what can be done.

    `absent` is what is not set up, which need not be wrong. `run` is a command that sets it up.
    """

    name: str
    state: Literal["ok", "fault", "absent"]
    told: str
    todo: str = ""
    run: str = ""


# By extra: modules it brings, and what they are for.
EXTRAS = {
    "serve": (("starlette", "uvicorn", "httpx2"), "the proxy, `loom serve`"),
    "pdf": (("pypdf",), "PDFs page by page, and a closer count of what they take"),
    "mcp": (("mcp_types",), "the MCP server, `loom mcp`"),
    "semantic": (("onnxruntime", "tokenizers"), "recall by meaning"),
}
LEAST = 500_000_000  # bytes free on the disk


def findings(home: Path) -> Iterator[CheckResult]:
    """Every check."""
    yield CheckResult("Loom", "ok", f"{loom.__version__} on Python {platform.python_version()}")
    for extra, (modules, use) in EXTRAS.items():
        name, run = f"Extra {extra}", f"pip install '.[{extra}]'"
        if any(find_spec(module) is None for module in modules):
            told = f"not installed; for {use}"
            yield CheckResult(name, "absent", told, "in a checkout of Loom", run)
        else:
            yield CheckResult(name, "ok", use)
    yield _state(home)


def _state(home: Path) -> CheckResult:
    name = "State folder"
    if not home.exists():
        return CheckResult(name, "absent", f"{home} is not there yet: the first session makes it")
    if not home.is_dir() or not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        told = f"{home} is no folder this user can write"
        return CheckResult(name, "fault", told, "remove it, or set LOOM_HOME to another place")
    free = shutil.disk_usage(home).free
    if found := exposed(home):
        told = f"{home}: {'; '.join(found)}"
        todo = "let it be its owner's alone:"
        return CheckResult(name, "fault", told, todo, f"chmod 700 {home}")
    if free < LEAST:
        todo = "make room, or `loom gc DIR` what is no longer needed"
        return CheckResult(name, "fault", f"{home}: {sized(free)} are free", todo)
    return CheckResult(name, "ok", f"{home}, {free / 1e9:,.0f} GB free")
