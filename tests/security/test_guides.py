"""Guides found while an agent works: where they stand, what they cost, and who hears of those that
were refused."""

import json
import warnings
from pathlib import Path

import pytest

import loom
from loom.capabilities.memory import guide as guides
from loom.capabilities.memory import project_guides
from loom.capabilities.memory.project_guides import TOUCHED_MOST, ProjectGuides
from loom.live import Context
from tests.kit.guides import named, rules, wrote


def led_out(repo: Path, folder: str) -> str:
    """A guide of a folder that is a link out of the project; the name of a file beside it."""
    wrote(repo.parent / "out.md", "- theirs\n")
    wrote(repo / folder / "a.py", "")
    (repo / folder / "AGENTS.md").symlink_to(repo.parent / "out.md")
    return f"{folder}/a.py"


def test_the_host_is_warned_once(ctx: Context, repo: Path) -> None:
    """Of one found while working, by its path and the reason; the model sees nothing of it."""
    path = led_out(repo, "api")
    with pytest.warns(loom.LoomWarning, match="api/AGENTS.md: a link that leads out"):
        turn = named(ctx, path)
    assert "theirs" not in json.dumps(turn.request())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named(ctx, "api/b.py")
        ctx.renew()
    assert len(rules(ctx.turn())) == 40
    (repo / "api" / "AGENTS.md").unlink()
    wrote(repo / "api" / "AGENTS.md", "- ours\n")
    assert "- ours" in json.dumps(named(ctx, "api/a.py").request())


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
    assert "secret of another" not in "".join(guide.text for guide in project.merged.guides)


def test_more_guides_than_fit(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than so many folders are looked at, and each guide is read once."""
    read = list[Path]()
    real = guides.beginning

    def counted(path: Path, limit: int) -> tuple[bytes, int]:
        read.append(path)
        return real(path, limit)

    monkeypatch.setattr(guides, "beginning", counted)
    monkeypatch.setattr(project_guides, "GRAIN", 0)
    for at in range(1_300):
        wrote(repo / f"d{at}" / "AGENTS.md", f"rule {at}")
    project = ProjectGuides(repo)
    for at in range(2_600):
        project.touch(f"d{at}/x.py")
        if at % 100 == 0:
            project.look()
    project.look()
    assert len(project.merged.guides) <= TOUCHED_MOST + 1
    assert len(read) <= TOUCHED_MOST + 1
