"""A project's guides against a reference: bytes as the lines that count, and all as one text."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.capabilities.memory.guide import parse_lines
from loom.capabilities.memory.project_guides import ProjectGuides
from tests.kit.cases import all_cases
from tests.kit.guide_rules import reference, text_of
from tests.kit.guides import repository

NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")


def looked(folder: Path) -> ProjectGuides:
    """A project after its first look."""
    project = ProjectGuides(folder)
    project.look()
    return project


def check(project: ProjectGuides, expected: str, root: Path) -> None:
    """Hold the text to the reference, and each line's origin to the file."""
    text, origins = project.merged.text, project.merged.origins
    assert text == expected
    assert [origin.text for origin in origins] == (text.split("\n") if text else [])
    for origin in (origin for origin in origins if origin.line):
        data = text_of((root / origin.path).read_bytes())
        line = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert origin.text in line[origin.line - 1]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a guide in it, and one in `a/b`."""
    return repository(tmp_path, {"AGENTS.md": "root\n", "a/b/AGENTS.md": "deep\n"})


# Against the reference


BODIES = [b"", b" \r\n\t", b"\xef\xbb\xbf", b"<!-- a\nb -->\n", b"a rule\n",
          b"\xef\xbb\xbf# h\r\n\r\nb\r",
          b"```\n<!-- kept -->\n```\n<!-- gone -->\nend", b"\n\na <!-- c\nd --> e\n\n",
          b"\xff\xfeno text", b"\xff\xffno text", "\ufeffweit\r\n# 令\n".encode("utf-16-le"),
          "\ufeffbig\n".encode("utf-16-be"), "four\n".encode("utf-32"),
          "文字 <!-- 注 -->\n".encode(), b"`<!-- kept -->` <!-- gone -->\n", b"<!-- open\n",
          b"many lines\n" * 1_500, b"~~~\n" + b"long and longer \n" * 900, b"x" * 33_000,
          "ä".encode() * 9_000 + b"\nb", b"a\x00 \t\n\t b\t\r", b"\xe4\xb8",
          "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\n".encode()]  # fmt: skip
LINKS = ["AGENTS.md", "CLAUDE.md", "../AGENTS.md", "../CLAUDE.md", "../../out.md",
         "../../../out.md", "../repo-two/AGENTS.md",
         "a/AGENTS.md", "missing", "."]  # fmt: skip
body = st.sampled_from(BODIES)
made = st.lists(body, max_size=2).map(b"".join) | st.sampled_from(LINKS)
folder = st.dictionaries(st.sampled_from(NAMES), made, max_size=3)


@given(st.lists(folder, min_size=1, max_size=5), st.integers(0, 3), st.booleans())
@settings(max_examples=120)
def test_any_tree(
    tree: list[dict[str, bytes | str]],
    repos: int,
    worktree: bool,
) -> None:
    """Overrides, blanks, links, fences, comments, encodings and long chains, from every folder."""
    with TemporaryDirectory() as made:
        top = Path(made).resolve()
        (top / "out.md").write_text("outside")
        (top / "repo-two").mkdir()
        (top / "repo-two" / "AGENTS.md").write_text("outside")
        at = top / "repo"
        folders = []
        for number, files in enumerate(tree):
            at.mkdir()
            if number == repos:
                (at / ".git").touch() if worktree else (
                    at / ".git"
                ).mkdir()  # a worktree has a file
            for name, data in files.items():
                if isinstance(data, str):
                    (at / name).symlink_to(data)
                else:
                    (at / name).write_bytes(data)
            folders.append(at)
            at = at / "a"
        for number, folder in enumerate(folders):
            root = folders[repos] if number >= repos else folder
            check(looked(folder), reference(folder), root)


ODD = ["", ".", "..", "../..", "../../../etc/passwd", "/", "/etc/passwd",
       "/nowhere/at/all", "\0", "a\0b",
       "x" * 10_000, "a/" * 5_000, "~", "~/x", "\ud800", "*", "http://a.b/c", "a\nb", "{repo}two/x",
       "AGENTS.md/x", "-", "\\\\host\\share", "C:\\x", "//etc/passwd",
    "{repo}/../outside/x"]  # fmt: skip


@all_cases("name", ODD)
def test_a_path_of_no_use(repo: Path, name: str) -> None:
    """It joins nothing, and never raises."""
    for other in ("repotwo", "outside"):
        (repo.parent / other).mkdir()
        (repo.parent / other / "AGENTS.md").write_text("outside")
    (repo.parent / "AGENTS.md").write_text("outside")
    project = looked(repo)
    project.touch(name.format(repo=repo))
    assert not project.look()
    assert project.merged.text == "root"


def test_a_guide_that_is_ignored_itself(repo: Path) -> None:
    """A guide git ignores does not join, another of that folder does; those of the chain stand."""
    (repo / ".gitignore").write_text("AGENTS.override.md\n/AGENTS.md\n/made/*.md\n")
    for folder in (repo / "made", repo / "mine"):
        folder.mkdir()
        (folder / "AGENTS.override.md").write_text("ignored")
        (folder / "AGENTS.md").write_text(folder.name)
    project = looked(repo)
    assert project.merged.text == "root"
    project.touch("made/x.py")
    project.touch("mine/x.py")
    project.look()
    assert project.merged.text == "root\n\nmine"


def test_numbers_of_lines() -> None:
    """They are those of the file, whatever was left out before and however its lines end."""
    lines = [(line.number, line.text) for line in parse_lines(b"\r\n\n c\r\nd\re \n\n")]
    assert lines == [(3, " c"), (4, "d"), (5, "e")]
