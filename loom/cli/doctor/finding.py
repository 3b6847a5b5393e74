"""What a check found, and how it is printed."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from loom.text import visible

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
