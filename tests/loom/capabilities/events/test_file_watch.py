import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from loom.capabilities.events import FileWatch, Signal
from loom.capabilities.events import file_watch as files_module
from loom.capabilities.events.file_watch import SWEEP_S
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
    """A source and its clock; every `changes` is swept, so nothing hangs on a notification."""

    def __init__(self, root: Path, clock: Clock, *ignore: Path) -> None:
        self.clock = clock
        self.source = FileWatch(root, ignore, clock=clock)
        self.source.look()

    def changes(self) -> list[Signal]:
        """What a look tells when a sweep is due."""
        self.clock.now += SWEEP_S
        return self.source.look()

    def summary(self) -> str:
        """The one signal there is, or nothing."""
        told = self.changes()
        assert len(told) <= 1 and all(signal.kind == "files" for signal in told)
        return told[0].summary if told else ""


@pytest.fixture
def watched(project: Path, clock: Clock) -> Any:
    """The project, watched."""
    made = Watched(project, clock)
    yield made
    made.source.close()


def shell(project: Path, command: str) -> None:
    """Run a command in the project."""
    subprocess.run(["sh", "-ec", command], cwd=project, check=True)


NOTHING = [
    "true",
    "printf one > a.txt",
    "touch -t 200001010000 a.txt",
    "printf one > tmp; mv tmp a.txt",
    "printf x > new; rm new",
    "for f in .git __pycache__ node_modules .venv; do mkdir -p $f/deep; touch $f/deep/file; done",
    "touch a.pyc .a.txt.swp a.txt~ .DS_Store",
    "mkfifo pipe",
]


@all_cases("command", NOTHING)
def test_what_changes_nothing_is_not_told(project: Path, watched: Watched, command: str) -> None:
    """Equal content, a temporary file, noise, and what is no file."""
    shell(project, command)
    assert watched.summary() == ""


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
    ("touch \"$(printf 'a\\n\\033[31mb')\"", "1 new: a b"),
]


@all_cases(("command", "summary"), CASES)
def test_a_change_is_told_once(project: Path, watched: Watched, command: str, summary: str) -> None:
    """With counts and paths; the look after it has nothing to add."""
    shell(project, command)
    assert watched.summary() == summary
    assert watched.summary() == ""


@all_cases(("command", "summary"), CASES)
def test_the_system_notifies_of_a_change(
    project: Path, watched: Watched, command: str, summary: str
) -> None:
    """Without any sweep; a burst may be told in parts, and the counts add up."""
    shell(project, command)
    wanted = sum(int(word) for word in summary.split() if word.isdigit())
    if summary.endswith("more"):
        wanted -= 3
    counts: list[int] = []
    while sum(counts) < wanted:  # the timeout of tests is the judge
        for signal in watched.source.look():
            head = signal.summary.partition(":")[0]
            counts += [int(word) for word in head.split() if word.isdigit()]
    assert sum(counts) == wanted
    assert watched.summary() == ""


def test_the_workspace_inside_the_project_is_not_watched(project: Path, clock: Clock) -> None:
    """What lies in an ignored folder is no change; a folder that is only named alike is one."""
    watched = Watched(project, clock, project / "runs")
    (project / "runs" / "journal").mkdir(parents=True)
    (project / "runs" / "journal" / "1.jsonl").write_text("x")
    (project / "runs-old").mkdir()
    assert watched.summary() == "1 new: runs-old/"
    watched.source.close()


def test_a_root_that_is_gone_raises_and_is_found_again(
    project: Path, watched: Watched, tmp_path: Path
) -> None:
    """While it is away its changes cannot be told; another folder in its place is compared."""
    project.rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(FileNotFoundError, match="no folder"):
            watched.source.look()
    shutil.copytree(tmp_path / "away", project)
    (project / "a.txt").write_text("two")
    assert watched.summary() == "1 changed: a.txt"


def test_a_tree_too_large_for_the_table_is_told_as_notified(
    project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so once; changes of what it does not know still come."""
    monkeypatch.setattr(files_module, "ENTRIES_MAX", 1)
    source = FileWatch(project, clock=clock)
    (note,) = source.look()
    assert note.kind == "heartbeat" and "more than 1 entries" in note.summary
    for path, verb in (("src/c.py", "changed"), ("src/new.py", "new")):
        (project / path).write_text("c = 2\n")
        # What is written in two steps may be told twice: a look for the one before may come late.
        summaries = (told.summary for _ in count() for told in source.look())
        assert verb in next(summary for summary in summaries if path in summary)
    source.close()
    assert len(source._known) <= 1


def test_without_notifications_the_tree_is_swept(
    project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system grants no watch it is told once, and changes come by the sweeps.

    Even of a file that was written again, to the same size, within a tick of its time.
    """

    def none(*paths: str, **given: object) -> Iterator[set[tuple[int, str]]]:
        raise OSError("no space left for watches")
        yield set()

    monkeypatch.setattr("watchfiles.watch", none)
    source = FileWatch(project, clock=clock)
    tick = time.time_ns() + 3_600_000_000_000  # never old, however long the test takes
    os.utime(project / "a.txt", ns=(tick, tick))
    (note,) = source.look()
    assert note.kind == "heartbeat" and "no space left" in note.summary
    for text in ("two", "six"):
        (project / "a.txt").write_text(text)
        os.utime(project / "a.txt", ns=(tick, tick))
        assert source.look() == []
        clock.now += SWEEP_S
        (told,) = source.look()
        assert told.summary == "1 changed: a.txt"
    clock.now += SWEEP_S
    assert source.look() == []
    source.close()
