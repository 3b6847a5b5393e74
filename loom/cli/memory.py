"""`loom memory`: what a project's AGENTS.md files say to an agent in a folder, line by line."""

from __future__ import annotations

from pathlib import Path

from loom.capabilities.memory.guide_order import NAMES
from loom.capabilities.memory.merging import BUDGET
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.cli.exits import FINE, BadUsage
from loom.cli.show import AsJson, emit, line, lines


def memory(folder: Path = Path(), /, *, budget: int = BUDGET, json: AsJson = False) -> int:
    """Show the AGENTS.md files that count in a folder, merged, with the file and line of each line.

    Parameters
    ----------
    folder
        The working folder; what stands above it counts as far up as the git repository goes.
    budget
        Bytes all files may take together.
    """
    if not folder.is_dir():
        raise BadUsage(f"{folder} is no folder")
    project = ProjectGuides(folder, budget=budget)
    project.look()
    found = project.merged
    if json:
        emit(
            {
                "root": str(project.root),
                "folder": str(project.folder),
                "files": [part.guide.path for part in found.parts],
                "left_out": found.left_out,
                "warnings": project.warnings,
                "bytes": len(found.text.encode()),
                "text": found.text,
                "lines": [{"file": at.path, "line": at.line} for at in found.origins],
            }
        )
        return FINE
    if not found.parts:
        line(f"no {', '.join(NAMES)} between {project.root} and {project.folder}")
    places = [f"{at.path}:{at.line}" if at.line else at.path for at in found.origins]
    width = max(map(len, places), default=0)
    lines(
        f"{place:<{width}}  {at.text}".rstrip()
        for place, at in zip(places, found.origins, strict=True)
    )
    lines(f"left out, no room in {budget:,} bytes: {path}" for path in found.left_out)
    lines(f"not read: {why}" for why in project.warnings)
    return FINE
