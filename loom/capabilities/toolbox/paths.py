"""Checks that a path stays in the project."""

from __future__ import annotations

import os
from pathlib import Path

from loom.capabilities.toolbox.errors import ToolRefused

_INSIDE = "give a path inside the project"


def rooted(project: Path) -> Path:
    """The project folder, links followed. Raises ToolRefused when it is no folder."""
    root = Path(os.path.realpath(project))
    if not root.is_dir():
        raise ToolRefused(str(project), "the project is no folder", "give one that is there")
    return root


def inside(given: str, base: Path, root: Path) -> Path:
    """Where `given` leads from `base`, links followed. Raises ToolRefused outside `root`.

    A path need not be there. An absolute one may lead into the project, and `..` may stay in it.
    """
    if given.startswith("~"):
        raise ToolRefused(given, "`~` leads outside the project", _INSIDE)
    try:
        found = Path(os.path.realpath(base / given))
    except (OSError, ValueError) as error:
        raise ToolRefused(given, f"no path ({error})", _INSIDE) from None
    if not found.is_relative_to(root):
        by_link = Path(os.path.normpath(base / given)).is_relative_to(root)
        why = "a link leads it" if by_link else "the path leads"
        raise ToolRefused(given, f"{why} outside the project", _INSIDE)
    return found


def unexpanded(given: str, base: Path) -> None:
    """Refuse a pattern a shell would have expanded, unless a file has that very name."""
    if any(mark in given for mark in "*?[") and not os.path.lexists(base / given):
        raise ToolRefused(
            given,
            "no shell is started that would expand a pattern of file names",
            "use `find . -name 'PATTERN'`, `grep -r --include='PATTERN'` or `git ls-files`",
        )
