"""What writing a workspace anew refuses; nothing is changed or made then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from loom.errors import LoomError
from loom.reduce.lines import counted
from loom_paging import Problem


class BadPurge(LoomError):
    """A purge that cannot be done; nothing was changed."""


class BadRepair(LoomError):
    """What was asked for cannot be repaired, or not to there; nothing was written."""


class PlaceTaken(LoomError):
    """Something is where an archive or a workspace was to be made."""

    def __init__(self, path: Path | str, why: str = "there is something already") -> None:
        self.path = str(path)
        super().__init__(f"{path}: {why}; nothing was changed: name another place")


class BadArchive(LoomError):
    """A file is no archive that `loom export` makes; nothing of it was unpacked."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = str(path), why
        super().__init__(f"{path} is no archive of a workspace: {why}; nothing was made of it")


class DamagedWorkspace(LoomError):
    """A workspace that is to be moved is not whole; `problems` says what was found."""

    def __init__(self, path: Path, problems: Sequence[Problem]) -> None:
        self.path, self.problems = str(path), tuple(problems)
        first = problems[0]
        super().__init__(
            f"{path} has {counted(len(problems), 'problem')}, the first in {first.where}:"
            f" {first.what}; nothing was made: mend it (`loom check` tells all), or take it as it"
            " is with --as-is"
        )
