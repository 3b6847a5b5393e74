"""Files of a skill: bounded, below their root, and nothing is opened that could make a reader wait.

A link that leads out of the root is told by where it leads. A hard link is a file like any other:
nothing tells it from one.
"""

from __future__ import annotations

import os
from pathlib import Path

from loom.capabilities.key_files import HOLDS_KEYS, holds_keys
from loom.capabilities.plain_file import beginning, decoded

LARGEST = 1_000_000  # bytes of one file that are read: far more than a model is ever given
SKILL_FILES = ("SKILL.md", "skill.md")  # the reference library takes the first that is there
LEADS_OUT = "a link that leads out of its root"
SKIPPED = frozenset({"node_modules", "venv", "__pycache__"})  # hidden ones are skipped by the dot


def leads_out(path: str | Path, root: str) -> bool:
    """True when a path, links followed, does not lie below `root`; never for a root of ""."""
    return bool(root) and not Path(os.path.realpath(path)).is_relative_to(root)


def text_of(path: str | Path, root: str = "") -> str:
    """The text of a file, decoded lossily; what was cut of it is said in a last line.

    Raises OSError for no plain file, for one that lies elsewhere than below `root`, and where there
    is one for a file whose name says that it holds credentials.
    """
    real = os.path.realpath(path)
    if leads_out(real, root):
        raise OSError(LEADS_OUT)
    if root and holds_keys(Path(path), Path(root)):
        raise OSError(HOLDS_KEYS)
    data, size = beginning(real, LARGEST)
    text = decoded(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if size > len(data):
        text += f"\n[cut after {len(data):,} of {size:,} bytes: read {path} for the rest]\n"
    return text


def skipped(name: str) -> bool:
    """True for names no skill is looked for under: hidden ones and those made by tools."""
    return name.startswith(".") or name in SKIPPED


def absolute(path: str | Path) -> Path:
    """A path from the root; a link on it stays one, and `.` gets its name."""
    path = Path(path)
    return path.resolve() if ".." in path.parts else path.absolute()


def names(folder: Path) -> list[str]:
    """The names in a folder, sorted, without skipped ones; raises OSError."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if not skipped(entry.name))


def skill_file(folder: Path) -> Path | None:
    """The SKILL.md a folder holds, None when it holds none; raises OSError."""
    held = {*names(folder)}
    return next((folder / name for name in SKILL_FILES if name in held), None)
