"""The warning about files of a project that were not loaded for an agent."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

from loom.capability import Capability
from loom.errors import LoomWarning
from loom.lazy import lazy_re
from loom.text import escape_invisible, one_line

LOOM = fspath(Path(__file__).parents[1])
NAMED = 5  # files the message names; the others are counted
LINE_CHARS = 400
MORE = "{more:,} more, all in ctx.memory.warnings and ctx.skills.warnings"
TRUST = (
    "To load what belongs to another user: PATHS = [{paths}], capabilities=["
    "loom.Memory(trust=PATHS), loom.Skills(trust=PATHS)]; on the command line, --trust"
)
_LOADS = lazy_re(r"; trust=\[(?P<path>.+)\] loads it\Z")


def with_trust_option(line: str) -> str:
    """Return a line about a refused file with "trust=[PATH] loads it" replaced by "--trust PATH
    loads it", for the command line."""
    return _LOADS.sub(r"; --trust \g<path> loads it", line)


def not_loaded_warning(project: str, refused: Iterable[str]) -> LoomWarning:
    """Return the warning about a project's guides or skills that were not loaded. `refused` has a
    line for each file: its path, then the reason."""
    lines = tuple(dict.fromkeys(refused))
    named, left = lines[:NAMED], len(lines) - NAMED
    loads = {one: _LOADS.search(one) for one in named}
    paths = dict.fromkeys(found["path"] for found in loads.values() if found)
    said = [one_line(escape_invisible(_LOADS.sub("", one)), LINE_CHARS) for one in named]
    said += [MORE.format(more=left)] if left > 0 else []
    where = f"project {project!r}: " if project else ""
    told = [f"{where}not loaded:", *(f"- {one}" for one in said)]
    told += [TRUST.format(paths=escape_invisible(", ".join(paths)))] if paths else []
    return LoomWarning("\n".join(told), "files")


def host_stacklevel() -> int:
    """Return the `stacklevel` for `warnings.warn` that shows the host's line which called Loom."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(LOOM):
        frame, level = frame.f_back, level + 1
    return level


def refused_files_warning(
    project: PathLike[str] | None, capabilities: Iterable[Capability]
) -> LoomWarning | None:
    """Return the warning that names all files the capabilities refused to load, or None."""
    refused = [one for capability in capabilities for one in capability.refused]
    return (
        not_loaded_warning("" if project is None else fspath(project), refused) if refused else None
    )
