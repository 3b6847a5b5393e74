"""Where a report is written: nothing that is no report is replaced."""

from __future__ import annotations

import os
from pathlib import Path

from loom.cli.exits import BadUsage
from loom.disk import plain_descriptor
from loom.report.page import is_report

HEAD = 2_000  # bytes of a file in which it says what it is
WRITTEN = b'"plan"'  # in the head of a run that was written down


def check_place(out: Path) -> None:
    """BadUsage where something lies at `out` that no `loom bench` wrote."""
    if out.is_dir():
        raise BadUsage(f"{out} is a folder: name a file")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"{out}: there is no folder {out.parent}: make it first")
    if not os.path.lexists(out):
        return
    with os.fdopen(plain_descriptor(out), "rb") as file:
        head = file.read(HEAD)
    if head and not is_report(head) and WRITTEN not in head:
        raise BadUsage(f"{out} is no report of Loom: name another file")
