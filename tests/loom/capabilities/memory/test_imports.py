"""Imports of guides: what `@path` brings in, from where, and what it never brings in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loom.capabilities.memory.guide import LARGEST
from loom.capabilities.memory.imports import DEPTH, MOST
from loom.capabilities.memory.project_guides import ProjectGuides
from tests.kit.cases import all_cases
from tests.kit.guides import repository


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with `docs/style.md` and a folder `sub`; nothing imports yet."""
    files = {"docs/style.md": "style\n", "sub/x.py": "", "node_modules/x/y.js": ""}
    return repository(tmp_path, files)


def looked(folder: Path, text: str) -> ProjectGuides:
    """A project whose root guide says this, after a look."""
    (folder / "CLAUDE.md").write_text(text)
    project = ProjectGuides(folder)
    project.look()
    return project


def files(project: ProjectGuides) -> list[str]:
    """The paths of what counts, in its order."""
    return [guide.path for guide in project.merged.guides]


NONE = ["no import", "`@docs/style.md`", "```\n@docs/style.md\n```",
        "a\n\n    @docs/style.md\n", "me@docs/style.md", "@alice wrote this", "@docs",
        "``x ` @docs/style.md``", "@", "@pytest.mark.slow"]  # fmt: skip


@all_cases("text", NONE)
def test_no_import(repo: Path, text: str) -> None:
    """Code, comments, addresses and names bring nothing in, and are not warned of."""
    project = looked(repo, text)
    assert files(project) in (["CLAUDE.md"], []) and project.warnings == ()


def test_hops_and_cycles(repo: Path) -> None:
    """Imports of imports come in up to DEPTH hops, a circle once."""
    for n in range(1, DEPTH + 2):
        (repo / f"f{n}.md").write_text(f"text {n}\n@f{n + 1}.md\n@CLAUDE.md\n@f1.md\n")
    (repo / f"f{DEPTH + 2}.md").write_text("too deep")
    project = looked(repo, "@f1.md")
    assert files(project) == [*(f"f{n}.md" for n in range(DEPTH, 0, -1)), "CLAUDE.md"]
    assert any(f"{DEPTH} imports" in why for why in project.warnings)


def test_a_file_counts_once(repo: Path) -> None:
    """For the first that names it; a guide of the chain stays where its folder puts it."""
    (repo / "sub" / "CLAUDE.md").write_text("@../docs/style.md\n@../CLAUDE.md\nsub")
    (repo / "CLAUDE.md").write_text("@docs/style.md\n@sub/CLAUDE.md")
    project = ProjectGuides(repo / "sub")
    project.look()
    assert files(project) == ["docs/style.md", "CLAUDE.md", "sub/CLAUDE.md"]


REFUSED = [("@../out.md", "leads out of the project"), ("@/etc/hostname.md", "out of the project"),
           ("@link.md", ""), ("@node_modules/x/r.md", "not the project's own"),
           ("@.git/config", "not the project's own"), ("@made/r.md", "ignored"),
           ("@bin.md", "binary"), ("@gone.md", "no such file"),
           ("@pipe.md", "no such file")]  # fmt: skip


@all_cases(("text", "why"), REFUSED)
def test_what_never_comes_in(repo: Path, text: str, why: str) -> None:
    """What lies outside, was installed, is ignored, binary, missing or no plain file."""
    (repo.parent / "out.md").write_text("outside")
    (repo / "link.md").symlink_to("../out.md")
    (repo / "node_modules" / "x" / "r.md").write_text("foreign")
    (repo / ".git" / "config").write_text("[core]")
    (repo / ".gitignore").write_text("/made/\n")
    (repo / "made").mkdir()
    (repo / "made" / "r.md").write_text("made")
    (repo / "bin.md").write_bytes(b"a\0b")
    os.mkfifo(repo / "pipe.md")
    project = looked(repo, f"rule\n{text}\n")
    assert files(project) == ["CLAUDE.md"]
    assert why in " ".join(project.warnings)


def test_large_and_many(repo: Path) -> None:
    """Of a huge file the beginning comes in, with a notice; of very many so many come in."""
    (repo / "docs" / "style.md").write_text("line of text\n" * (LARGEST // 10))
    project = looked(repo, "@docs/style.md\nrule")
    assert len(project.merged.text) <= LARGEST + 99 and project.merged.text.endswith("\nrule")
    assert "too large to be read whole" in project.merged.text
    for n in range(MOST + 9):
        (repo / f"m{n}.md").write_text(f"m{n}")
    project = looked(repo, "\n".join(f"@m{n}.md" for n in range(MOST + 9)))
    assert len(files(project)) == MOST + 1
