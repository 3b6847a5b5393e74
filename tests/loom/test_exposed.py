"""A workspace that others can read, change or replace, or that git takes along, is told of."""

import os
import pickle
import re
import subprocess
import warnings
from pathlib import Path

import pytest

import loom
from loom.exposed import IGNORE, exposure_warning

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes of another kind")
AS_ROOT = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives a file away"
)
OTHER = 54_321  # a user nobody is


def opened(folder: Path) -> list[loom.LoomWarning]:
    """Open and close a workspace; the warnings of its exposure."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        loom.open(folder, durable=False).close()
    return [one.message for one in told if getattr(one.message, "kind", "") == "exposed"]


def git(folder: Path, *given: str) -> None:
    """Run git in a folder, with no configuration but its own."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", folder, *given], check=True, env=env, capture_output=True)


def test_files_others_may_read(folder: Path) -> None:
    """Made so by hand: Loom makes none such."""
    opened(folder)
    for at in (folder, folder / "journal"):
        at.chmod(0o755)
    assert opened(folder) == []
    for at in (folder / "journal").iterdir():
        at.chmod(0o644)
    (told,) = opened(folder)
    assert f"run `chmod -R go-rwx {folder}`" in str(told)


def test_a_folder_above_that_others_may_write_in(tmp_path: Path) -> None:
    """They could put a folder of theirs in its place; not so under a sticky one, as /tmp is."""
    above = tmp_path / "shared"
    (above / "mine").mkdir(parents=True)
    above.chmod(0o1777)
    assert opened(above / "mine" / "w") == []
    above.chmod(0o777)
    (told,) = opened(above / "mine" / "w")
    assert f"folder {above} above it may be written by other users (mode 0777)" in str(told)
    above.chmod(0o755)
    assert opened(above / "mine" / "w") == []


@AS_ROOT
def test_a_folder_of_another(folder: Path) -> None:
    """He can read and change it."""
    folder.mkdir()
    os.chown(folder, OTHER, OTHER)
    (told,) = opened(folder)
    assert f"the folder belongs to user {OTHER}" in str(told)


@pytest.mark.parametrize("worktree", [False, True])
def test_git_never_takes_a_new_workspace(tmp_path: Path, worktree: bool) -> None:
    """Within a work tree it ignores itself, so nothing of it is added; no rule of the user's is
    touched, and a workspace that had no such file gets none."""
    tree = tmp_path / "tree"
    tree.mkdir()
    git(tree, "init", "-q")
    if worktree:
        git(tree, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty",
            "-m", "one")  # fmt: skip
        git(tree, "worktree", "add", "-q", str(tmp_path / "second"))
        tree = tmp_path / "second"
    assert opened(tree / "runs" / "w") == []
    assert (tree / "runs" / "w" / IGNORE).stat().st_mode & 0o777 == 0o600
    git(tree, "add", "-A")
    assert opened(tree / "runs" / "w") == []
    (tree / "runs" / "w" / IGNORE).unlink()
    assert opened(tree / "runs" / "w") == []
    assert not (tree / "runs" / "w" / IGNORE).exists()
    git(tree, "add", "-A")
    (told,) = opened(tree / "runs" / "w")
    assert "git tracks its files" in str(told) and "runs/w/" in str(told)


def test_the_work_tree_itself_as_workspace(tmp_path: Path) -> None:
    """Its names stand in the index without a folder before them."""
    assert opened(tmp_path) == []  # a root of git is no place for a new one
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A", "-f")
    (told,) = opened(tmp_path)
    assert f"`git -C {tmp_path} rm -r -q --cached .`" in str(told)


def test_the_warning_crosses_processes(folder: Path) -> None:
    """It is pickled whole, and names a hostile folder on one line."""
    warning = exposure_warning("a\x1b\n", ("one", "two"))
    again = pickle.loads(pickle.dumps(warning))
    assert (again.kind, str(again)) == ("exposed", str(warning)) and str(again).isprintable()


def test_what_is_told_helps(tmp_path: Path) -> None:
    """Run as it stands, each command ends the warning; several findings are numbered."""
    tree = tmp_path / "a tree"
    tree.mkdir()
    git(tree, "init", "-q")
    folder = tree / "w"
    opened(folder)
    (folder / IGNORE).unlink()
    folder.chmod(0o777)
    git(tree, "add", "-A")
    (told,) = opened(folder)
    assert "(1) other users may write" in str(told) and "(2) git tracks" in str(told)
    for command in re.findall("`([^`*]+)`", str(told)):
        subprocess.run(["sh", "-c", command], check=True, capture_output=True)
    assert opened(folder) == []
