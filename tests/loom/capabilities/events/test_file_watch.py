import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loom.capabilities.events.file_watch import FileWatch
from tests.kit.cases import all_cases


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "a.txt").write_text("one")
    (root / "src" / "b.py").write_text("b = 1\n")
    (root / "src" / "c.py").write_text("c = 1\n")
    return root


def begun(root: Path, *ignore: Path) -> FileWatch:
    """A folder that is watched from now on."""
    source = FileWatch(root, ignore, clock=lambda: 0.0)
    assert source.look() == []
    return source


def summary(source: FileWatch) -> str:
    """What a look tells: the one signal there is, or nothing."""
    told = source.look()
    assert len(told) <= 1 and all(signal.kind == "files" for signal in told)
    return told[0].summary if told else ""


@pytest.fixture
def watched(project: Path) -> FileWatch:
    """The project, watched."""
    return begun(project)


def shell(project: Path, command: str) -> None:
    """Run a command in the project."""
    subprocess.run(["sh", "-ec", command], cwd=project, check=True)


NOTHING = [
    "true",
    "printf x > new; rm new",
    "for f in .git __pycache__ node_modules .venv; do mkdir -p $f/deep; touch $f/deep/file; done",
    "touch a.pyc .a.txt.swp a.txt~ .DS_Store",
    "mkfifo pipe",
]


@all_cases("command", NOTHING)
def test_what_changes_nothing_is_not_told(project: Path, watched: FileWatch, command: str) -> None:
    """A temporary file, noise, and what is no file."""
    shell(project, command)
    assert summary(watched) == ""


CASES = [
    ("printf two > a.txt", "1 changed: a.txt"),
    ("printf two > tmp; mv tmp a.txt", "1 changed: a.txt"),
    ("touch new.txt", "1 new: new.txt"),
    ("mkdir -p lib/deep; touch lib/deep/x.py", "3 new: lib/, lib/deep/, lib/deep/x.py"),
    ("rm a.txt", "1 deleted: a.txt"),
    ("rm -r src", "3 deleted: src/, src/b.py, src/c.py"),
    ("mv src lib", "3 new, 3 deleted: lib/, lib/b.py, lib/c.py and 3 more"),
    ("rm a.txt; mkdir a.txt; touch a.txt/in", "1 changed, 1 new: a.txt/, a.txt/in"),
    ("ln -s a.txt l", "1 new: l"),
    ("mkdir -p dist build/x; touch build/x/y target", "1 new: target"),
    ("touch \"$(printf 'a\\n\\033[31mb')\"", "1 new: a b"),
]


@all_cases(("command", "said"), CASES)
def test_a_change_is_told_once(project: Path, watched: FileWatch, command: str, said: str) -> None:
    """With counts and paths; the look after it has nothing to add."""
    shell(project, command)
    assert summary(watched) == said
    assert summary(watched) == ""


def test_the_workspace_inside_the_project_is_not_watched(project: Path) -> None:
    """What lies in an ignored folder is no change; a folder that is only named alike is one."""
    watched = begun(project, project / "runs")
    (project / "runs" / "journal").mkdir(parents=True)
    (project / "runs" / "journal" / "1.jsonl").write_text("x")
    (project / "runs-old").mkdir()
    assert summary(watched) == "1 new: runs-old/"


def test_a_root_that_is_gone_raises_and_is_found_again(
    project: Path, watched: FileWatch, tmp_path: Path
) -> None:
    """While it is away its changes cannot be told; another folder in its place is compared."""
    project.rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(FileNotFoundError, match="no folder"):
            watched.look()
    shutil.copytree(tmp_path / "away", project)
    (project / "a.txt").write_text("two")
    assert summary(watched) == "1 changed: a.txt"


def test_a_sweep_that_takes_long_is_made_seldom(project: Path) -> None:
    """At most one part in fifty of the time goes into it."""
    now = iter([0.0, 1.0, 50.0, 52.0, 53.0])
    source = FileWatch(project, clock=lambda: next(now))
    assert source.look() == []
    os.utime(project / "a.txt", ns=(0, 0))
    assert source.look() == []
    (told,) = source.look()
    assert told.summary == "1 changed: a.txt"


def test_a_sweep_is_made_sooner_where_the_system_notifies(project: Path) -> None:
    """One that takes long, long before it is due; where nothing changes it is not made."""
    now = iter([0.0, 1.0])
    source = FileWatch(project, clock=lambda: next(now, 10.0))
    assert source.look() == source.look() == []
    (project / "a.txt").write_text("two")
    told = next(filter(None, (source.look() for _ in range(10_000))))
    assert [one.summary for one in told] == ["1 changed: a.txt"]
