"""Guides found while an agent works: where they stand, what they cost, and who hears of those that
were refused."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.capabilities.memory import guide as guides
from loom.capabilities.memory import project_guides
from loom.capabilities.memory.not_loaded import NOT_LOADED
from loom.capabilities.memory.project_guides import TOUCHED_MOST, ProjectGuides
from loom.live import Context
from loom_partitions import laws
from tests.kit.guides import named, rules, wrote


@pytest.fixture(autouse=True)
def heard() -> Iterator[list[loom.LoomWarning]]:
    """Every warning of files that were refused, as it comes."""
    found: list[loom.LoomWarning] = []
    with warnings.catch_warnings(record=True) as held:
        warnings.simplefilter("always")
        yield found
        found += [one.message for one in held if getattr(one.message, "kind", "") == "files"]


def led_out(repo: Path, folder: str) -> str:
    """A guide of a folder that is a link out of the project; the name of a file beside it."""
    wrote(repo.parent / "out.md", "- theirs\n")
    wrote(repo / folder / "a.py", "")
    (repo / folder / "AGENTS.md").symlink_to(repo.parent / "out.md")
    return f"{folder}/a.py"


def text_of(ctx: Context) -> str:
    """The text the memory partition holds of guides that were not loaded."""
    held = ctx.window.memory.get(NOT_LOADED)
    return "" if held is None else held.body or ""


def test_the_model_is_told(ctx: Context, repo: Path, tmp_path: Path) -> None:
    """Quoted, at the tail, with the reason; the same after a reopening, and gone in time."""
    before = ctx.window
    turn = named(ctx, led_out(repo, "api"))
    said = "> api/AGENTS.md: a link that leads out of the project"
    assert str(turn.request()["messages"][-1]).count(said) == 1
    assert laws.floor(before, ctx.window) == [] and "theirs" not in json.dumps(turn.request())
    ctx.renew()
    assert text_of(ctx) == said[2:] and len(rules(ctx.turn())) == 40
    sent = ctx.turn().request()
    ctx.close()
    with loom.open(tmp_path / "w", project=repo, window=16_000, durable=False) as again:
        assert again.turn().request() == sent
        (repo / "api" / "AGENTS.md").unlink()
        wrote(repo / "api" / "AGENTS.md", "- ours\n")
        assert "- ours" in json.dumps(named(again, "api/a.py").request())
        assert not text_of(again)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root gives away")
def test_of_another_user(ctx: Context, repo: Path) -> None:
    """The owner is told, the host's option is not: it is nothing a model can give."""
    guide = wrote(repo / "api" / "AGENTS.md", "- theirs\n")
    os.chown(guide, 4_242, 4_242)
    named(ctx, "api/a.py")
    assert text_of(ctx) == "api/AGENTS.md: belongs to user 4242"


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
