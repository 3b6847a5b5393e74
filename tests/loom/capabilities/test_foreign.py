"""Folders that are not the project's own: by name, and by .gitignore as git reads it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.foreign import FOREIGN, is_foreign, is_git_ignored
from tests.kit.cases import all_cases

PARTS = ("a", "b", "ab", "a.b", "[a]", "d-e")


@all_cases("name", sorted(FOREIGN))
def test_by_name(tmp_path: Path, name: str) -> None:
    """A folder of that name, and any below it; not a name that only holds it."""
    assert is_foreign(tmp_path, tmp_path / "x" / name)
    assert is_foreign(tmp_path, tmp_path / name.swapcase() / "x")
    assert is_foreign(tmp_path, tmp_path / name / "x")
    assert not is_foreign(tmp_path, tmp_path / f"{name}-x") and not is_foreign(tmp_path, tmp_path)
    # What the working folder lies in is not asked about, what lies below it is.
    own = tmp_path / name / "app"
    assert not is_foreign(tmp_path, own / "src", own) and not is_foreign(tmp_path, own.parent, own)
    assert is_foreign(tmp_path, own / name, own)


@pytest.mark.parametrize("mark", [".git", "pyvenv.cfg"])
def test_by_what_it_holds(tmp_path: Path, mark: str) -> None:
    """A repository of its own below, and a Python environment, whatever they are called."""
    inner = tmp_path / "env" / "x"
    inner.mkdir(parents=True)
    (tmp_path / mark).touch()
    assert not is_foreign(tmp_path, inner)
    (tmp_path / "env" / mark).touch()
    assert is_foreign(tmp_path, tmp_path / "env") and is_foreign(tmp_path, inner)
    assert not is_foreign(tmp_path, inner, inner)
    (tmp_path / "env" / mark).unlink()
    (tmp_path / "env" / mark).mkdir()
    assert is_foreign(tmp_path, inner)


def test_an_odd_gitignore_ignores_nothing(tmp_path: Path) -> None:
    """One that is a link, a folder, a pipe or too large is not read, and none makes one wait."""
    (tmp_path / "rules").write_text("*\n")
    at = tmp_path / ".gitignore"
    for make in (lambda: at.symlink_to("rules"), lambda: os.mkfifo(at),
                 lambda: at.write_bytes(b"*\n" * 1_000_000), at.mkdir):  # fmt: skip
        make()
        assert not is_foreign(tmp_path, tmp_path / "a")
        at.rmdir() if make == at.mkdir else at.unlink()


def test_a_pattern_costs_little(tmp_path: Path) -> None:
    """Stars upon stars do not make the matching explode."""
    (tmp_path / ".gitignore").write_text("*a" * 200 + "b\n" + "**/" * 200 + "x\n")
    assert not is_foreign(tmp_path, tmp_path.joinpath(*["a" * 200] * 15))


LINES = st.lists(
    st.sampled_from(
        ("a", "a/", "/a", "/a/", "a/b", "a/**", "**/b", "a/**/b", "*", "*/", "!a", "!/a/b", "!b/",
         "?", "[ab]", "[!a]", "[^a]", "a*", "*.b", "# a", "\\#a", "a ", "a\\ ", "\\!a", "\\[a\\]",
         "[a", "/", "**", "", "d[-]e", "/*/a", "a/*", "\\a", "a\\", "[]a]", "[a-c]", "a//b")
    ),
    max_size=6,
)  # fmt: skip
PATHS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=3)


@given(LINES, LINES, LINES, PATHS)
def test_as_git_does(top: list[str], inner: list[str], info: list[str], parts: list[str]) -> None:
    """Whatever the patterns in three places say, git says the same of a folder, and of a file."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    with TemporaryDirectory() as made:
        root = Path(made).resolve()
        folder, file = root.joinpath(*parts), root.joinpath("f", *parts)
        folder.mkdir(parents=True)
        file.parent.mkdir(parents=True)
        file.touch()
        given = {"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.environ["PATH"], "HOME": made}
        subprocess.run(["git", "init", "-q", "."], cwd=root, env=given, check=True)
        (root / ".git" / "info" / "exclude").write_text("\n".join(info))
        (root / ".gitignore").write_text("\n".join(top))
        for inside in (root / parts[0], root / "f"):
            (inside / ".gitignore").write_text("\n".join(inner))
        words = ["git", "check-ignore", "--", "/".join(parts), "/".join(("f", *parts))]
        said = subprocess.run(words, cwd=root, env=given, check=False, stdout=subprocess.PIPE)
        told = said.stdout.decode().splitlines()
        assert is_foreign(root, folder) == (words[-2] in told)
        assert (is_foreign(root, file.parent) or is_git_ignored(root, file)) == (words[-1] in told)
