from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write() -> Write:
    """Write a skill into a folder of skills; gives the skill's own folder."""

    def writing(place: Path, name: str, description: str = "", text: str | None = None) -> Path:
        folder = place / name
        folder.mkdir(parents=True, exist_ok=True)
        told = f"---\nname: {name}\ndescription: {description or f'About {name}.'}\n---\n# {name}\n"
        (folder / "SKILL.md").write_text(told if text is None else text, "utf-8")
        return folder

    return writing
