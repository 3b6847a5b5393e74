"""A guide found while working gets no power: where it stands, and what it costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.capabilities.memory import guide_order, project_guides
from loom.capabilities.memory.project_guides import TOUCHED_MOST, ProjectGuides
from tests.kit.guides import wrote


@pytest.mark.parametrize("link", ["folder", "guide", "import"])
def test_links_and_imports_lead_nowhere_else(repo: Path, tmp_path: Path, link: str) -> None:
    """Of what lies outside of the project, nothing comes in."""
    out = wrote(tmp_path / "out" / "AGENTS.md", "secret of another").parent
    (repo / "sub").mkdir()
    if link == "folder":
        (repo / "sub" / "in").symlink_to(out)
    elif link == "guide":
        (repo / "sub" / "AGENTS.md").symlink_to(out / "AGENTS.md")
    else:
        wrote(repo / "sub" / "AGENTS.md", f"See @{out}/AGENTS.md and @../../../out/AGENTS.md")
    project = ProjectGuides(repo)
    project.touch("sub/in/x.py" if link == "folder" else "sub/x.py")
    project.look()
    assert "secret of another" not in "".join(part.text for part in project.merged.every)


def test_ten_thousand_guides(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than so many folders are looked at, and each guide is read once."""
    read = list[Path]()
    real = guide_order.beginning

    def counted(path: Path, limit: int) -> tuple[bytes, int]:
        read.append(path)
        return real(path, limit)

    monkeypatch.setattr(guide_order, "beginning", counted)
    monkeypatch.setattr(project_guides, "GRAIN", 0)
    for at in range(2_000):
        wrote(repo / f"d{at}" / "AGENTS.md", f"rule {at}")
    project = ProjectGuides(repo)
    for at in range(10_000):
        project.touch(f"d{at}/x.py")
        if at % 100 == 0:
            project.look()
    project.look()
    assert len(project.merged.every) <= TOUCHED_MOST + 1
    assert len(read) <= TOUCHED_MOST + 1
