"""Obligations in a session: shown, ticked by the host, told of when they change, never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.context import Context
from loom_partitions import laws
from loom_partitions.limits import OBLIGATIONS_MAX, OBLIGATIONS_SHOWN
from tests.kit.opened import plain

RULE = "Always run `make test` before committing.\n"


def last(ctx: Context) -> str:
    """What the next request ends with."""
    ctx.user("go on")
    return str(ctx.turn().request()["messages"][-1]["content"])


def states(ctx: Context) -> dict[str, str]:
    """Id → state of what stands."""
    return {one.id: one.state for one in ctx.working.obligations}


def repository(tmp_path: Path, text: str = RULE) -> Path:
    """A repository with one guide."""
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / "AGENTS.md").write_text(f"# Rules\n\n{text}")
    return root


def test_nothing_to_be_done(tmp_path: Path) -> None:
    """Without obligations nothing is said; what is no change is no commit."""
    with plain(tmp_path / "w", window=8_192) as ctx:
        assert "obligation" not in last(ctx) and ctx.working.obligations == ()
        ctx.working.oblige("test", "run make test before committing")
        commits = ctx._engine.workspace.commits
        ctx.working.oblige("test", "run make test before committing")
        ctx.working.tick("test", done=False)
        assert ctx._engine.workspace.commits == commits


def test_what_is_not_there_raises(tmp_path: Path) -> None:
    """An id that is unknown or was dropped, words that are none, and too many that are due."""
    with plain(tmp_path / "w", window=32_000) as ctx:
        for refused in (
            lambda: ctx.working.tick("x"),
            lambda: ctx.working.drop_obligation("x"),
            lambda: ctx.working.oblige("x", " "),
            lambda: ctx.working.oblige("", "x"),
        ):
            with pytest.raises(loom.LoomError):
                refused()
        for n in range(OBLIGATIONS_MAX):
            ctx.working.oblige(f"o{n}", "do it")
        with pytest.raises(loom.LoomError, match="64 obligations are due"):
            ctx.working.oblige("more", "do it")
        ctx.working.tick("o0")
        ctx.working.oblige("more", "do it")
        assert "o0" not in states(ctx) and len(states(ctx)) == OBLIGATIONS_MAX


def test_many_are_counted_and_kept_in_full(tmp_path: Path) -> None:
    """Eight are shown, the others counted; the surface has them all, the long ones on a page."""
    with plain(tmp_path / "w", window=32_000) as ctx:
        for n in range(20):
            ctx.working.oblige(f"o{n}", f"do {n} " + "and more " * 40 * (n == 3))
        said = last(ctx)
        assert said.count("obligation [ ]") == OBLIGATIONS_SHOWN
        assert "12 more obligations → working/obligations.md" in said
        full = ctx.page_in("working/obligations.md").text
        assert all(f"due: o{n}: do {n}" in full for n in range(20))
        assert "→ " in next(line for line in full.split("\n") if " o3: " in line)


def test_renewals_and_restarts(tmp_path: Path) -> None:
    """C_working keeps them; the request stays within its budget; a finished task clears them."""
    with plain(tmp_path / "w", window=8_192) as ctx:
        for n in range(30):
            ctx.working.oblige(f"o{n}", f"run task {n} before the next")
        ctx.working.tick("o7")
        before = ctx.working.obligations
        ctx.user("go on")
        assert laws.bounded(ctx._engine.window) == [] and ctx.turn().pressure.rho <= 1
        ctx.renew()
        assert ctx.working.obligations == before and "obligation [" in last(ctx)
    with loom.open(tmp_path / "w", durable=False) as again:
        assert again.working.obligations == before
        again.turn()
        again.finish("done")
        assert again.working.obligations == ()


def test_not_listed_unless_asked(tmp_path: Path) -> None:
    """Without `obligations=True` they are there to be read, and stand on no surface."""
    with loom.open(tmp_path / "w", project=repository(tmp_path)) as ctx:
        assert "obligation" not in last(ctx)
        assert [one.id for one in ctx.memory.obligations] == ["make-test"]
