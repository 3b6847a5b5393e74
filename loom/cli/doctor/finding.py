"""What a check found, and how it is printed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
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
    """The lines of a finding, at most COLUMNS wide; a command is never broken."""
    yield from _wrapped(f"{SIGNS[finding.state]} {finding.name}: {finding.told}", "")
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
