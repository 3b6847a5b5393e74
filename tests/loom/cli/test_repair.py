from errno import EROFS
from importlib import import_module
from pathlib import Path

import pytest

import loom
from loom_paging import Lock
from tests.kit.journal import files
from tests.loom.cli.conftest import Run

homes = import_module("loom.rewrite.homes")


def test_what_was_left_out_is_told_by_kind_content_first(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    """A line for each kind, however many records; the verdict counts requests too."""
    journal = workspace / "journal" / "000001.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[0] = lines[0][:-4] + b"#" + lines[0][-3:]
    lines[6] = lines[6][:-4] + b"#" + lines[6][-3:]
    journal.write_bytes(b"".join(lines))
    (workspace / "outputs" / "read_0001.txt").write_text("other", "utf-8")
    code, out, _ = run("repair", workspace, tmp_path / "new")
    assert "journal/000001.jsonl, line 7" in out and "outputs/read_0001.txt is damaged" in out
    assert run("check", tmp_path / "new")[0] == 0
    told = out.splitlines()
    left = [line for line in told if line.startswith("left out: ")]
    kinds = [line.split(" × ")[1].split()[0].rstrip(":") for line in left]
    assert code == 1 and kinds and len(set(kinds)) == len(kinds)
    places = ("lost: journal/", "lost: commits 1, 7", "left out: 62 × Turned")
    content = ("lost: entr", "left out: 1 × Returned of entry 3", "lost: request", *places)
    orders = [next(at for at, line in enumerate(told) if line.startswith(one)) for one in content]
    assert orders == sorted(orders)
    assert "request" in told[-1]


def test_a_folder_with_anything_in_it_is_refused(run: Run, workspace: Path, tmp_path: Path) -> None:
    """Nothing is written over; nor into the damaged workspace, nor from one that is open."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "mine").write_text("mine", "utf-8")
    before = files(tmp_path / "new")
    for to in (tmp_path / "new", workspace / "new", workspace):
        code, _, err = run("repair", workspace, to)
        assert code == 2 and err.startswith("loom: ")
    assert files(tmp_path / "new") == before
    with loom.open(workspace, durable=False):
        code, _, err = run("repair", workspace, tmp_path / "other")
    assert code == 2 and "in use" in err and not (tmp_path / "other").exists()
    assert run("repair", tmp_path / "none", tmp_path / "other")[0] == 2


class ReadAlone(Lock):
    """The lock of a folder on a disk that was mounted to be read alone."""

    def acquire(self) -> None:
        """Refuse as the system does."""
        raise OSError(EROFS, "Read-only file system", str(self.path))


def test_on_a_disk_that_is_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no lock can be taken, since nothing can be written, the workspace is repaired too."""
    loom.open(tmp_path / "w", durable=False).close()
    monkeypatch.setattr(homes, "Lock", ReadAlone)
    assert not loom.repair(tmp_path / "w", tmp_path / "new").lost
