"""Which files count: the root, the folders on the way, one file in each."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.capabilities.memory.guide_order import chain, guides_of
from loom.capabilities.owners import ANYONE, git_root

OVERRIDE, AGENTS, CLAUDE = "AGENTS.override.md", "AGENTS.md", "CLAUDE.md"


def root_of(folder: Path) -> Path:
    """The root of the repository a folder lies in."""
    return git_root(folder, ANYONE)[0]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository `repo` with a folder `sub`, beside a folder `outside`."""
    root = tmp_path.resolve() / "repo"
    for folder in (root / ".git", root / "sub", root.parent / "outside"):
        folder.mkdir(parents=True)
    return root


def found(root: Path, folder: Path, warned: list[str] | None = None) -> dict[str, str]:
    """Path → text of the guides of a folder."""
    told = [] if warned is None else warned
    guides = guides_of(root, chain(root, folder), warn=told.append)
    assert len({guide.path for guide in guides}) == len(guides)
    return {guide.path: guide.text for guide in guides}


# Nothing


def test_no_guides(repo: Path) -> None:
    """A repository without a guide has none, and nothing is warned of."""
    warned: list[str] = []
    assert found(repo, repo / "sub", warned) == {}
    assert warned == []


def test_a_folder_elsewhere_has_no_chain(repo: Path) -> None:
    """Nothing leads from the root to a folder that is not below it."""
    assert chain(repo, repo.parent / "outside") == ()
    assert chain(repo / "sub", repo) == ()


# The root


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_nearest_git(repo: Path, kind: str) -> None:
    """The nearest `.git` above or beside makes the root, a file (a worktree's) as well."""
    inner = repo / "sub" / "module"
    deep = inner / "a" / "b"
    deep.mkdir(parents=True)
    assert root_of(deep) == repo
    (inner / ".git").mkdir() if kind == "folder" else (inner / ".git").write_text("gitdir: x")
    assert root_of(deep) == root_of(inner) == inner
    assert root_of(repo / "sub") == root_of(repo) == repo


def test_the_chain_goes_down(repo: Path) -> None:
    """From the root to the folder, each folder once."""
    assert chain(repo, repo) == (repo,)
    assert chain(repo, repo / "a" / "b") == (repo, repo / "a", repo / "a" / "b")


def test_a_neighbour_with_the_same_beginning_is_outside(repo: Path) -> None:
    """`repo-two` is not below `repo`."""
    (repo.parent / "repo-two").mkdir()
    (repo.parent / "repo-two" / AGENTS).write_text("secret")
    (repo / AGENTS).symlink_to(f"../repo-two/{AGENTS}")
    assert found(repo, repo) == {}


def test_a_file_counts_at_its_first_place(repo: Path) -> None:
    """A link above the file it leads to is where it counts."""
    (repo / "sub" / AGENTS).write_text("rules")
    (repo / AGENTS).symlink_to(f"sub/{AGENTS}")
    assert found(repo, repo / "sub") == {AGENTS: "rules"}
