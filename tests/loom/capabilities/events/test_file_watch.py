import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loom.capabilities.events import FileWatch, Poller, Timers
from loom.capabilities.events import file_watch as files_module
from tests.kit.cases import all_cases

Clock = Any


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "a.txt").write_text("one")
    (root / "src" / "b.py").write_text("b = 1\n")
    (root / "src" / "c.py").write_text("c = 1\n")
    return root


class Watched:
    """A source that was looked at once."""

    def __init__(self, root: Path, clock: Clock, *ignore: Path) -> None:
        self.source = FileWatch(root, ignore, clock=clock)
        assert self.source.look() == []

    def summary(self) -> str:
        """The one signal there is, or nothing."""
        told = self.source.look()
        assert len(told) <= 1 and all(signal.kind == "files" for signal in told)
        return told[0].summary if told else ""


@pytest.fixture
def watched(project: Path, clock: Clock) -> Any:
    """The project, watched."""
    return Watched(project, clock)


def _come_and_go(root: Path) -> None:
    (root / "new").write_text("x")
    (root / "new").unlink()


def _noise(root: Path) -> None:
    for folder in (".git", "__pycache__", "node_modules", ".venv"):
        (root / folder / "deep").mkdir(parents=True)
        (root / folder / "deep" / "file").write_text("x")
    for name in ("a.pyc", ".a.txt.swp", "a.txt~", ".DS_Store"):
        (root / name).write_text("x")


def _pipe(root: Path) -> None:
    os.mkfifo(root / "pipe")


@all_cases(
    "do",
    [lambda root: None, _come_and_go, _noise, _pipe],
)
def test_what_changes_nothing_is_not_told(
    project: Path, watched: Watched, do: Callable[[Path], None]
) -> None:
    """A temporary file, noise, and what is no file."""
    do(project)
    assert watched.summary() == ""


def _write(root: Path) -> None:
    (root / "a.txt").write_text("two")


def _same_size_and_time(root: Path) -> None:
    before = (root / "a.txt").stat()
    (root / "a.txt").write_text("1!1")
    os.utime(root / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns + 1))


def _replace(root: Path) -> None:
    (root / "tmp").write_text("two")
    (root / "tmp").replace(root / "a.txt")


def _make(root: Path) -> None:
    (root / "new.txt").write_text("x")


def _make_folder(root: Path) -> None:
    (root / "lib" / "deep").mkdir(parents=True)
    (root / "lib" / "deep" / "x.py").write_text("x")


def _delete(root: Path) -> None:
    (root / "a.txt").unlink()


def _delete_folder(root: Path) -> None:
    shutil.rmtree(root / "src")


def _move_folder(root: Path) -> None:
    (root / "src").rename(root / "lib")


def _folder_for_file(root: Path) -> None:
    (root / "a.txt").unlink()
    (root / "a.txt").mkdir()
    (root / "a.txt" / "in").write_text("x")


def _link(root: Path) -> None:
    (root / "l").symlink_to("a.txt")


def _steer(root: Path) -> None:
    (root / "a\n\x1b[31mb").write_text("x")


CASES = [
    (_write, "1 changed: a.txt"),
    (_same_size_and_time, "1 changed: a.txt"),
    (_replace, "1 changed: a.txt"),
    (_make, "1 new: new.txt"),
    (_make_folder, "3 new: lib/, lib/deep/, lib/deep/x.py"),
    (_delete, "1 deleted: a.txt"),
    (_delete_folder, "3 deleted: src/, src/b.py, src/c.py"),
    (_move_folder, "3 new, 3 deleted: lib/, lib/b.py, lib/c.py and 3 more"),
    (_folder_for_file, "1 changed, 1 new: a.txt/, a.txt/in"),
    (_link, "1 new: l"),
    (_steer, "1 new: a b"),
]


@all_cases(("do", "summary"), CASES)
def test_a_change_is_told_once(
    project: Path, watched: Watched, do: Callable[[Path], None], summary: str
) -> None:
    """With counts and paths; the look after it has nothing to add."""
    do(project)
    assert watched.summary() == summary
    assert watched.summary() == ""


def test_the_workspace_inside_the_project_is_not_watched(project: Path, clock: Clock) -> None:
    """What lies in an ignored folder is no change; a folder that is only named alike is one."""
    watched = Watched(project, clock, project / "runs")
    (project / "runs" / "journal").mkdir(parents=True)
    (project / "runs" / "journal" / "1.jsonl").write_text("x")
    (project / "runs-old").mkdir()
    assert watched.summary() == "1 new: runs-old/"


def test_a_root_that_is_gone_raises_and_is_found_again(
    project: Path, watched: Watched, tmp_path: Path
) -> None:
    """While it is away its changes cannot be told; what came meanwhile is told."""
    project.rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(FileNotFoundError, match="no folder"):
            watched.source.look()
    (tmp_path / "away").rename(project)
    (project / "a.txt").write_text("two")
    assert watched.summary() == "1 changed: a.txt"


def test_a_tree_too_large_for_the_table_says_so(
    project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once; changes of what the table holds are told."""
    monkeypatch.setattr(files_module, "ENTRIES_MAX", 1)
    source = FileWatch(project, clock=clock)
    (note,) = source.look()
    assert note.kind == "heartbeat" and "more than 1 entries" in note.summary
    (project / "a.txt").write_text("other")
    (project / "src/c.py").write_text("c = 2\n")
    (told,) = source.look()
    assert told.summary == "1 changed: a.txt"


def test_a_slow_walk_is_made_seldom(project: Path) -> None:
    """A walk that took a second is made again after a hundred."""
    times = iter([0.0, 1.0, 1.0, 50.0, 102.0, 102.0, 102.0])
    source = FileWatch(project, clock=lambda: next(times))
    assert source.look() == []
    _write(project)
    assert source.look() == []
    assert len(source.look()) == 1


def test_a_running_heartbeat_tells_of_a_change(project: Path) -> None:
    """In its thread, from the first look on, until it is stopped."""
    begun, changed = threading.Event(), threading.Event()
    events = {"timer": begun, "files": changed}
    timers = Timers()
    timers.at(0, "begun", "the files were looked at before this")
    with Poller(lambda s: events[s.kind].set(), [FileWatch(project), timers], 0.01) as heart:
        assert begun.wait(60)
        _write(project)
        assert changed.wait(60)
        heart.stop(timeout=240)
    assert not heart.running
