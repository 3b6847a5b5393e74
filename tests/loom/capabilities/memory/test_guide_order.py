"""Which files count: the root, the folders on the way, one file in each."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loom.capabilities.memory.guide_order import chain, guides_of
from loom.capabilities.owners import ANYONE, git_root
from tests.kit.cases import all_cases

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


def test_without_git_the_folder_alone(tmp_path: Path) -> None:
    """A guide above a folder that is in no repository does not count."""
    folder = tmp_path.resolve() / "a" / "b"
    folder.mkdir(parents=True)
    (folder.parent / AGENTS).write_text("above")
    (folder / AGENTS).write_text("here")
    assert root_of(folder) == folder
    assert found(folder, folder) == {AGENTS: "here"}


def test_the_chain_goes_down(repo: Path) -> None:
    """From the root to the folder, each folder once."""
    assert chain(repo, repo) == (repo,)
    assert chain(repo, repo / "a" / "b") == (repo, repo / "a", repo / "a" / "b")


# One a folder

GIVEN = [
    ({OVERRIDE: "o", AGENTS: "a", CLAUDE: "c"}, OVERRIDE),
    ({AGENTS: "a", CLAUDE: "c"}, AGENTS),
    ({CLAUDE: "c"}, CLAUDE),
    ({OVERRIDE: "", AGENTS: "a"}, AGENTS),
    ({OVERRIDE: "\ufeff \r\n", AGENTS: "<!-- a\n-->", CLAUDE: "c"}, CLAUDE),
    ({OVERRIDE: "\n", AGENTS: " "}, None),
    ({"agents.md": "a", "AGENTS.MD": "a", "AGENTS.txt": "a", "GEMINI.md": "g"}, None),
]


@all_cases(("files", "counts"), GIVEN)
def test_the_first_that_says_something(
    repo: Path, files: dict[str, str], counts: str | None
) -> None:
    """The override before AGENTS.md before CLAUDE.md; a blank one is none."""
    for name, text in files.items():
        (repo / "sub" / name).write_text(text)
    assert found(repo, repo / "sub") == ({f"sub/{counts}": files[counts]} if counts else {})


def test_root_first(repo: Path) -> None:
    """The guides come in the order of their folders."""
    (repo / CLAUDE).write_text("root")
    (repo / "sub" / OVERRIDE).write_text("sub")
    assert list(found(repo, repo / "sub")) == [CLAUDE, f"sub/{OVERRIDE}"]


@all_cases("kind", ["folder", "pipe", "loop", "dangling", "link to a folder"])
def test_what_is_no_regular_file(repo: Path, kind: str) -> None:
    """It is passed over, never waited for, and the next name counts."""
    path = repo / "sub" / AGENTS
    {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "loop": lambda: path.symlink_to(AGENTS),
        "dangling": lambda: path.symlink_to("missing.md"),
        "link to a folder": lambda: path.symlink_to(repo / ".git"),
    }[kind]()
    (repo / "sub" / CLAUDE).write_text("c")
    assert found(repo, repo / "sub") == {f"sub/{CLAUDE}": "c"}


# Links


def test_a_link_below_the_root(repo: Path) -> None:
    """It counts under its own path, with what it leads to."""
    (repo / "docs").mkdir()
    (repo / "docs" / "rules.md").write_text("rules")
    (repo / "sub" / AGENTS).symlink_to("../docs/rules.md")
    warned: list[str] = []
    assert found(repo, repo / "sub", warned) == {f"sub/{AGENTS}": "rules"}
    assert warned == []


@pytest.mark.parametrize("by", ["link", "link to a link", "absolute"])
def test_a_link_that_leads_out(repo: Path, by: str) -> None:
    """It is passed over with a warning that names it, and the next name is tried."""
    (repo.parent / "outside" / "o.md").write_text("secret")
    (repo / "step").symlink_to("../outside/o.md")
    to = {"link": "../../outside/o.md", "link to a link": "../step",
          "absolute": str(repo.parent / "outside" / "o.md")}[by]  # fmt: skip
    (repo / "sub" / AGENTS).symlink_to(to)
    (repo / "sub" / CLAUDE).write_text("c")
    warned: list[str] = []
    assert found(repo, repo / "sub", warned) == {f"sub/{CLAUDE}": "c"}
    assert len(warned) == 1
    assert f"sub/{AGENTS}" in warned[0]


def test_a_neighbour_with_the_same_beginning_is_outside(repo: Path) -> None:
    """`repo-two` is not below `repo`."""
    (repo.parent / "repo-two").mkdir()
    (repo.parent / "repo-two" / AGENTS).write_text("secret")
    (repo / AGENTS).symlink_to(f"../repo-two/{AGENTS}")
    assert found(repo, repo) == {}


def test_a_file_counts_once(repo: Path) -> None:
    """The same file by another link further down is no guide there, nor is its next name."""
    (repo / AGENTS).write_text("rules")
    (repo / "sub" / AGENTS).symlink_to(f"../{AGENTS}")
    assert found(repo, repo / "sub") == {AGENTS: "rules"}


def test_a_file_counts_at_its_first_place(repo: Path) -> None:
    """A link above the file it leads to is where it counts."""
    (repo / "sub" / AGENTS).write_text("rules")
    (repo / AGENTS).symlink_to(f"sub/{AGENTS}")
    assert found(repo, repo / "sub") == {AGENTS: "rules"}


def test_equal_texts_are_two_files(repo: Path) -> None:
    """Copies are told apart from links."""
    (repo / AGENTS).write_text("rules")
    (repo / "sub" / AGENTS).write_text("rules")
    assert found(repo, repo / "sub") == {AGENTS: "rules", f"sub/{AGENTS}": "rules"}
