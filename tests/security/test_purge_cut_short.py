"""A purge killed at any operation on a file: nothing has happened, or it goes on to its end.

Interrupts come from an audit hook, before the operation: whatever is opened for writing, renamed,
removed or made below the folder counts as one.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

import loom
from loom.cli.app import main
from loom.rewrite.reports import PurgeReport
from loom_paging.names import TEMPORARY
from loom_paging.rewriting import FileChanges, is_unfinished
from tests.kit.cases import SIMULATED

SECRET = "sk-ant-" + "a1b2c3d4" * 4
CHANGES = frozenset({"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.link"})
WRITES = os.O_WRONLY | os.O_RDWR


class Killer:
    """Raises KeyboardInterrupt at the n-th operation below a folder, and at all after it, as
    nothing is done any more by one who is killed."""

    def __init__(self) -> None:
        self.folder, self.left, self.count = "", -1, 0

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        """Count an operation of the folder, and interrupt it when it is the one."""
        if not self.folder or not (event in CHANGES or event == "open"):
            return
        path = given[0]
        if not isinstance(path, str | bytes | os.PathLike):
            return
        name = os.fsdecode(path)
        if not name.startswith(self.folder) or name.endswith("LOCK"):
            return
        if event == "open" and not int(given[2] or 0) & WRITES:
            return
        self.count += 1
        if 0 < self.left <= self.count:
            raise KeyboardInterrupt


KILLER = Killer()
sys.addaudithook(KILLER)  # it cannot be taken away again: without a folder it does nothing


@contextmanager
def killed(folder: Path, at: int) -> Iterator[None]:
    """Interrupt operation `at` below the folder, -1 for none."""
    KILLER.folder, KILLER.left, KILLER.count = str(folder), at, 0
    try:
        yield
    finally:
        KILLER.folder = ""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with an agent below, a page, a note and a memory that hold the secret."""
    folder = tmp_path_factory.mktemp("kept")
    memory = loom.Memory(folder / "memory")
    with loom.open(folder / "work", durable=False, redact=(), capabilities=[memory]) as ctx:
        ctx.user(f"use {SECRET}\n" + "and so on, line by line\n" * 100)
        ctx.turn()
        ctx.memory.save(f"use {SECRET}")
        ctx.memory.notes.create(f"/memories/{SECRET}.md", f"use {SECRET}")
        with ctx.agents.spawn(f"Use {SECRET}.", name="one") as child:
            child.agents.deliver(f"used {SECRET}")
        ctx.agents.join("one")
        ctx.renew()
    return folder


def purged(folder: Path, values: tuple[str, ...] = (SECRET,)) -> PurgeReport:
    """Purge the secret from a workspace and its memory folder."""
    return loom.purge(folder / "work", values, also=[folder / "memory"], durable=False)


def files(folder: Path) -> dict[str, str]:
    """Every file by its name, and the hash of its bytes; locks and what is staged left out."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "LOCK" and TEMPORARY not in str(path)
    }


def operations(kept: Path, folder: Path) -> int:
    """How many operations a purge takes."""
    shutil.copytree(kept, folder)
    with killed(folder, -1):
        purged(folder)
    return KILLER.count


def test_cut_short_anywhere(kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the manifest nothing has changed; after it, purge and open carry it to its end."""
    before, most = files(kept), operations(kept, tmp_path / "whole")
    ended = set()
    for at in range(1, most + 1, 1 if SIMULATED else 3):
        folder = tmp_path / f"at{at}"
        shutil.copytree(kept, folder)
        with killed(folder, at), pytest.raises(KeyboardInterrupt):
            purged(folder)
        half = is_unfinished(folder / "work")
        ended.add(half)
        if half:
            with pytest.raises(loom.errors.PagingError, match="purge"):
                loom.open(folder / "work" / "agents" / "one", durable=False)
            assert main(["stat", str(folder / "work")]) == 2
            if at % 2:
                assert purged(folder, ()).resumed
            else:
                loom.open(folder / "work", durable=False).close()
        elif files(folder) == before:
            assert purged(folder).done
        assert [
            str(path)
            for path in folder.rglob("*")
            if SECRET[7:20] in path.name
            or (path.is_file() and SECRET[7:20].encode() in path.read_bytes())
        ] == []
        assert not list(folder.rglob(f"{TEMPORARY}*/manifest.json"))
        if at % 8 == 0:
            assert main(["check", str(folder / "work")]) == 0, capsys.readouterr().out
        shutil.rmtree(folder)
    assert ended == {True, False}


def test_what_was_staged_is_swept(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A purge that was cut short before its manifest leaves nothing behind an opening."""
    folder = tmp_path / "w"
    shutil.copytree(kept, folder)
    before = files(folder)

    def killed_now(making: FileChanges) -> None:
        monkeypatch.setattr(FileChanges, "discard", lambda making: None)
        assert [*making._write_staged(making.root)]
        raise KeyboardInterrupt

    monkeypatch.setattr(FileChanges, "seal", killed_now)
    with pytest.raises(KeyboardInterrupt):
        purged(folder)
    assert files(folder) == before and list((folder / "work").glob(f"{TEMPORARY}*"))
    monkeypatch.undo()  # another process opens it
    loom.open(folder / "work", durable=False).close()
    assert not list((folder / "work").glob(f"{TEMPORARY}*"))


def test_no_room_changes_nothing(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where new bytes cannot be written nothing is changed, and nothing staged stays."""
    folder = tmp_path / "w"
    shutil.copytree(kept, folder)
    before = files(folder)

    def full(*given: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("loom_paging.rewriting.write_or_remove", full)
    with pytest.raises(OSError, match="No space"):
        purged(folder)
    assert files(folder) == before
    assert not list(folder.rglob(f"{TEMPORARY}*"))
