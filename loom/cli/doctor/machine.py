"""Loom itself: Python, what is installed beside it, the state folder, and the workspaces in it."""

from __future__ import annotations

import os
import platform
import shutil
import textwrap
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from msgspec import Struct

import loom
from loom.cli.agents import agents_of
from loom.cli.ps import ago
from loom.cli.show import sized
from loom.engine.exposed import exposed
from loom.mcp.sessions import ServedSession, sessions, unserved
from loom.reduce.lines import counted
from loom.serve.codings import INSTALL, MODULES, readable
from loom.text import one_line, visible

COLUMNS = 80
SIGNS = {"ok": "✓", "fault": "✗", "absent": "–"}
State = Literal["ok", "fault", "absent"]


class CheckResult(Struct, frozen=True):
    """One check: what it is about, how that is, and what can be done.

    `absent` is what is not set up, which need not be wrong. `run` is a command that sets it up.
    """

    name: str
    state: State
    told: str
    todo: str = ""
    run: str = ""


def told(finding: CheckResult) -> Iterator[str]:
    """The lines of a finding, at most COLUMNS wide, the home folder as `~`; a command is never
    broken."""
    text = finding.told.replace(f"{Path.home()}{os.sep}", f"~{os.sep}")
    yield from _wrapped(f"{SIGNS[finding.state]} {finding.name}: {text}", "")
    if finding.todo:
        yield from _wrapped(f"→ {finding.todo}", "  ")
    if finding.run:
        yield f"    {visible(finding.run)}"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        visible(text),
        COLUMNS,
        initial_indent=indent,
        subsequent_indent="    ",
        break_on_hyphens=False,
    )


# By extra: modules it brings, and what they are for.
EXTRAS = {
    "serve": (("starlette", "uvicorn", "httpx2"), "the proxy, `loom serve`"),
    "pdf": (("pypdf",), "PDFs page by page, and a closer count of what they take"),
    "mcp": (("mcp_types",), "the MCP server, `loom mcp`"),
    "semantic": (("onnxruntime", "tokenizers"), "recall by meaning"),
}
LEAST = 500_000_000  # bytes free on the disk
SHOWN = 3  # workspaces told one by one, the last used


def findings(home: Path) -> Iterator[CheckResult]:
    """Every check."""
    yield CheckResult("Loom", "ok", f"{loom.__version__} on Python {platform.python_version()}")
    for extra, (modules, use) in EXTRAS.items():
        missing = [name for name in modules if find_spec(name) is None]
        if missing:
            run = f"pip install '.[{extra}]'"
            told = f"not installed; for {use}"
            yield CheckResult(f"Extra {extra}", "absent", told, "in a checkout of Loom", run)
        else:
            yield CheckResult(
                f"Extra {extra}", "ok", use + (_codings() if extra == "serve" else "")
            )
    yield from _state(home)


def _codings() -> str:
    """Which compressed bodies the proxy cannot read here, and what brings their decoders."""
    missing = [name for name in MODULES if not readable(name)]
    told = (f"{name} (pip install {INSTALL[name]})" for name in missing)
    return f"; it reads no body compressed by {', '.join(told)}" if missing else ""


def _state(home: Path) -> Iterator[CheckResult]:
    name = "State folder"
    if not home.exists():
        yield CheckResult(name, "absent", f"{home} is not there yet: the first session makes it")
        return
    if not home.is_dir() or not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        told = f"{home} is no folder this user can write"
        yield CheckResult(name, "fault", told, "remove it, or set LOOM_HOME to another place")
        return
    free = shutil.disk_usage(home).free
    if (doubt := exposed(home)) is not None:
        told = f"{home}: {'; '.join(doubt.found)}"
        yield CheckResult(name, "fault", told, "let it be its owner's alone:", f"chmod 700 {home}")
    elif free < LEAST:
        todo = "make room, or `loom gc DIR` what is no longer needed"
        yield CheckResult(name, "fault", f"{home}: {sized(free)} are free", todo)
    else:
        yield CheckResult(name, "ok", f"{home}, {free / 1e9:,.0f} GB free")
    yield from _workspaces(home)


def _workspaces(home: Path) -> Iterator[CheckResult]:
    found = sessions(home)
    if not found:
        yield CheckResult("Workspaces", "absent", "none yet")
        return
    more = f"; the last {SHOWN} used:" if len(found) > SHOWN else ""
    yield CheckResult("Workspaces", "ok", f"{len(found):,}{more}")
    if told := unserved(home, os.path.realpath(Path.cwd())):
        yield CheckResult("Pages here", "absent", told)
    yield from map(_workspace, found[:SHOWN])


def _workspace(one: ServedSession) -> CheckResult:
    name = f"Workspace {one.name}"
    try:
        agent = agents_of(one.folder)
    except OSError as error:
        return CheckResult(
            name, "fault", one_line(str(error), 160), "look into it", f"ls {one.folder}"
        )
    if agent.state == "damaged":
        run = f"loom check {one.folder}"
        return CheckResult(
            name, "fault", f"damaged: {one_line(agent.why, 160)}", "what is whole:", run
        )
    when = ago((time.time_ns() - one.used) // 1_000_000)
    pages = counted(agent.pages, "page")
    return CheckResult(name, "ok", f"{agent.state}, ρ {agent.rho:.2f}, {pages}, used {when} ago")
