"""What writing a workspace anew refuses; nothing is changed or made then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loom.errors import BadInput, CorruptJournal
from loom.reduce.lines import counted
from loom_paging import Problem

TAKEN = "taken"  # the `kind` of an error


def place_taken(path: Path | str, why: str = "there is something already") -> BadInput:
    """The error where something is at the place of an archive or a workspace to be made."""
    return BadInput(f"{path}: {why}; nothing was changed: name another place", TAKEN)


def bad_archive(path: Path, why: str) -> BadInput:
    """The error for a file that is no archive that `loom export` makes."""
    return BadInput(f"{path} is no archive of a workspace: {why}; nothing was made of it")


def damaged_workspace(path: Path, problems: Sequence[Problem]) -> CorruptJournal:
    """The error for a workspace that is to be moved and is not whole."""
    first = problems[0]
    said = (
        f"{path} has {counted(len(problems), 'problem')}, the first in {first.where}:"
        f" {first.what}; nothing was made: mend it (`loom check` tells all), or take it as it"
        " is with --as-is"
    )
    return CorruptJournal(str(path), 0, first.what, said)
