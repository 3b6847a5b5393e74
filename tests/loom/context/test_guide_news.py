"""What the notice between cuts says of a guide: new and why, changed, or gone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.capabilities.owners import Owners
from loom.context import Context
from loom.providers.render.wording import RANK, RANK_KEPT
from tests.kit.guides import named, repository, wrote


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with guides in its root and in `sub`."""
    return repository(tmp_path, {"AGENTS.md": "root rule\n", "sub/AGENTS.md": "sub rule\n"})


@pytest.fixture
def ctx(repo: Path, tmp_path: Path) -> Iterator[Context]:
    """A context on it, after its first request."""
    with loom.open(tmp_path / "w", project=repo, window=16_000, durable=False) as made:
        made.user("go on")
        made.turn()
        yield made


def news(ctx: Context) -> list[str]:
    """The heading of each memory notice of the next request, without the session's mark; of one
    that tells the rank of its text, "ranked" in place of that."""
    ctx.user("go on")
    mark = ctx.window.config.mark
    said = [str(one["content"]) for one in ctx.turn().request()["messages"]]
    lines = [line for text in said for line in text.split("\n") if line.startswith("[memory ")]
    ranked = re.compile(f", (?:{re.escape(RANK)}|{re.escape(RANK_KEPT)})]$")
    return [ranked.sub(", ranked]", line.replace(f" {mark}", "")) for line in lines]


def test_an_override_that_goes(ctx: Context, repo: Path) -> None:
    """The file beside it counts again, and did not appear."""
    (repo / "AGENTS.override.md").write_text("over")
    news(ctx)
    (repo / "AGENTS.override.md").unlink()
    assert "[memory new: AGENTS.md, it counts in the place of AGENTS.override.md]" in news(ctx)


def test_a_guide_of_another_user(ctx: Context, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One given away, or made a pipe, is told as not loaded."""
    (repo / "AGENTS.md").write_text("Use tabs.\n")
    (repo / "sub" / "AGENTS.md").write_text("Use spaces.\n")
    named(ctx, "sub/a.py")
    (repo / "sub" / "AGENTS.md").unlink()
    os.mkfifo(repo / "sub" / "AGENTS.md")
    why = "not loaded: a named pipe or device, not a regular file"
    with pytest.warns(loom.RefusedFiles, match="a named pipe or device"):
        heard = news(ctx)
    assert f"[memory gone: sub/AGENTS.md, {why}]" in heard
    refusal = "belongs to user bob (7); trust=['x'] loads it"
    monkeypatch.setattr(Owners, "refusal", lambda whose, path, whole=None: refusal)
    (repo / "AGENTS.md").write_text("Use tabs always.\n")
    with pytest.warns(loom.RefusedFiles, match="bob"):
        heard = news(ctx)
    assert "[memory gone: AGENTS.md, not loaded: it belongs to user bob (7)]" in heard


def test_an_override_found_later(ctx: Context, repo: Path) -> None:
    """One that comes in the place of a guide stands before those below it, after a renewal too."""
    wrote(repo / "sub" / "ui" / "CLAUDE.md", "ui rule\n")
    named(ctx, "sub/ui/a.py")
    (repo / "sub" / "AGENTS.md").unlink()
    (repo / "sub" / "AGENTS.override.md").write_text("over\n")
    wanted = ["AGENTS.md", "sub/AGENTS.override.md", "sub/ui/CLAUDE.md"]
    for cut in (False, True):
        if cut:
            ctx.renew()
        news(ctx)
        assert [one.key for one in ctx.window.memory.current] == wanted
