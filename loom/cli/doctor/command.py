"""`loom doctor`: print a line for each check, and what to do. The exit code is 1 if something does
not work."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import loom
from loom.cli.doctor.wiring import PORT, CheckResult, WiringChecks
from loom.cli.exits import FINE, FOUND
from loom.cli.output import AsJson, bytes_text, print_result, wrapped_lines
from loom.exposed import exposure_reasons
from loom.home import home

SIGNS = {"ok": "✓", "fault": "✗", "absent": "–"}
# By extra: modules it brings, and what they are for.
EXTRAS = {
    "serve": (("starlette", "uvicorn", "httpx2"), "the proxy, `loom serve`"),
    "pdf": (("pypdf",), "PDFs page by page, and a closer count of what they take"),
    "mcp": (("mcp_types",), "the MCP server, `loom mcp`"),
    "semantic": (("onnxruntime", "tokenizers"), "recall by meaning"),
}
LEAST = 500_000_000  # bytes free on the disk


def doctor(*, port: int = PORT, json: AsJson = False) -> int:
    """Show what is set up on this machine, whether it works, and what to do.

    A line begins with ✓ where something works, with – where it is not set up, and with ✗ where it
    is set up but does not work (exit code 1). Nothing is changed. The settings read are those of
    Claude Code, Codex and opencode: the user's, and those of the project in the current folder.

    Args:
        port: The port on 127.0.0.1 where the proxy is looked for.
    """
    # How a client starts Loom: by name where the PATH leads to it, else by its whole path.
    beside = Path(sys.executable).with_name("loom")
    command = "loom" if shutil.which("loom") or not beside.exists() else str(beside)
    wiring = WiringChecks(Path.home(), Path.cwd(), os.environ, port, command)
    found = [*_installation_checks(), _state_folder_check(home()), *wiring.check_results()]
    faults = any(one.state == "fault" for one in found)
    whole = {"ok": not faults, "checks": found}
    told = (text for one in found for text in _check_lines(one))
    return print_result(whole, told, json=json, code=FOUND if faults else FINE)


def _check_lines(one: CheckResult) -> Iterator[str]:
    """Yield the lines of one check."""
    text = one.told.replace(f"{Path.home()}{os.sep}", f"~{os.sep}")
    yield from wrapped_lines(f"{SIGNS[one.state]} {one.name}: {text}", below="    ")
    if one.todo:
        yield from wrapped_lines(f"→ {one.todo}", "  ", below="    ")
    if one.run:
        yield f"    {one.run}"


def _installation_checks() -> Iterator[CheckResult]:
    """Yield checks of Loom itself and of each of its extras (optional dependencies)."""
    yield CheckResult("Loom", "ok", f"{loom.__version__} on Python {platform.python_version()}")
    for extra, (modules, use) in EXTRAS.items():
        name, run = f"Extra {extra}", f"pip install '.[{extra}]'"
        if any(find_spec(module) is None for module in modules):
            told = f"not installed; for {use}"
            yield CheckResult(name, "absent", told, "in a checkout of Loom", run)
        else:
            yield CheckResult(name, "ok", use)


def _state_folder_check(home: Path) -> CheckResult:
    """Return the check of Loom's state folder: does it exist, is it private and writable, is there
    space?"""
    name = "State folder"
    if not home.exists():
        return CheckResult(name, "absent", f"{home} is not there yet: the first session makes it")
    if not home.is_dir() or not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        told = f"{home} is no folder this user can write"
        return CheckResult(name, "fault", told, "remove it, or set LOOM_HOME to another place")
    free = shutil.disk_usage(home).free
    if found := exposure_reasons(home):
        told = f"{home}: {'; '.join(found)}"
        todo = "let it be its owner's alone:"
        return CheckResult(name, "fault", told, todo, f"chmod 700 {home}")
    if free < LEAST:
        todo = "make room, or `loom gc DIR` what is no longer needed"
        return CheckResult(name, "fault", f"{home}: {bytes_text(free)} are free", todo)
    return CheckResult(name, "ok", f"{home}, {free / 1e9:,.0f} GB free")
