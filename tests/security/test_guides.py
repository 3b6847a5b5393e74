"""Guides found while an agent works: where they stand, what they cost, and who hears of those that
were refused."""

import json
import warnings
from pathlib import Path

import pytest

import loom
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


def test_a_linked_folder_leads_nowhere_else(repo: Path, tmp_path: Path) -> None:
    """Of what lies outside of the project, nothing comes in by a folder that is a link."""
    out = wrote(tmp_path / "out" / "AGENTS.md", "secret of another").parent
    (repo / "sub").mkdir()
    (repo / "sub" / "in").symlink_to(out)
    project = ProjectGuides(repo)
    project.touch("sub/in/x.py")
    project.look()
    assert "secret of another" not in project.merged.text


def test_a_call_works_where_its_own_path_is(ctx: Context, repo: Path) -> None:
    """Whatever other paths its arguments name before it."""
    wrote(repo / "svc" / "f.py", "")
    wrote(repo / "docs" / "index.md", "see svc/f.py")
    wrote(repo / "docs" / "guide" / "AGENTS.md", "- wrap at 72\n")
    given = {"old_string": "svc/f.py", "new_string": "g.py", "file_path": "docs/index.md"}
    ctx.reply(loom.Reply((loom.ToolCall("e", "Edit", json.dumps(given)),)))
    ctx.result("e", "ok")
    ctx.turn()
    assert "- wrap at 72" in json.dumps(named(ctx, "guide/a.md").request())


def test_more_guides_than_fit(repo: Path) -> None:
    """No more than so many folders are looked at."""
    for at in range(TOUCHED_MOST + 300):
        wrote(repo / f"d{at}" / "AGENTS.md", f"rule {at}")
    project = ProjectGuides(repo)
    for at in range(2 * TOUCHED_MOST):
        project.touch(f"d{at}/x.py")
    project.look()
    assert len(project.merged.guides) <= TOUCHED_MOST + 1
