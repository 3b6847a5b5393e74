"""A skill in a folder of skills."""

from __future__ import annotations

from pathlib import Path


def skill_in(
    place: Path, name: str, description: str = "", body: str = "", *, text: str | None = None
) -> Path:
    """Write a skill into a folder of skills, or any `text` as its file; its own folder."""
    folder = place / name
    folder.mkdir(parents=True, exist_ok=True)
    told = f"---\nname: {name}\ndescription: {description or f'About {name}.'}\n---\n"
    (folder / "SKILL.md").write_text(told + (body or f"# {name}\n") if text is None else text)
    return folder
