"""Options that several commands take, and how a command refuses one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

Sessions = Annotated[list[Path], Parameter(consume_multiple=True, negative=())]


def sizes(option: str, given: str, example: str = "16000,32000") -> list[int]:
    """Sizes in tokens, separated by commas. Raises ValueError for anything else."""
    try:
        found = [int(size) for size in given.replace("_", "").split(",")]
    except ValueError:
        found = []
    if not found or min(found) <= 0:
        raise ValueError(f"{option} {given!r}: give sizes in tokens, as {example}")
    return found


def refuse(why: object) -> int:
    """Say on stderr why nothing was done; returns the exit code."""
    print(why, file=sys.stderr)
    return 2
