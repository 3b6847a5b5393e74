"""`loom gc` and `loom repair`: dry runs, --yes, and the lock."""

from __future__ import annotations

import json
from errno import EROFS
from importlib import import_module
from pathlib import Path

import pytest

import loom
from loom_paging import Lock
from tests.kit.journal import files
from tests.kit.step import step
from tests.loom.cli.conftest import Run

ALL = ("--horizon", "0", "--ttl", "shell=0", "--ttl", "read=0s")
TERSE = loom.Policy(
    tuning=loom.Tuning(index_tokens=0, index_share=0.0, digest_tokens=0, digest_share=0.0)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with three pages that nothing needs."""
    with loom.open(tmp_path / "w", window=8_192, policy=TERSE, durable=False) as ctx:
        step(ctx, 60)
        for number in range(2):
            step(ctx, 60, tool="Read", args={"path": f"f{number}.py"})
        step(ctx)
        ctx.renew(0)
    return tmp_path / "w"


def pages(folder: Path) -> set[str]:
    """The results that lie there."""
    found = [*folder.glob("outputs/read_*"), *folder.glob("outputs/shell_*")]
    return {f"outputs/{one.name}" for one in found}


def test_nothing_goes(run: Run, folder: Path) -> None:
    """By default the last requests can be gone back to, and nothing is that old; nor is anything
    of today minutes, hours or days old."""
    assert "0 pages went, 0 B freed" in run("gc", folder, "--yes")[1]
    for time in ("30m", "6h", "7d", "never", "90"):
        code, out, _ = run("gc", folder, "--ttl", f"shell={time}", "--horizon", "0")
        assert code == 0 and "0 pages would go" in out
    assert len(pages(folder)) == 3


def test_a_dry_run_changes_nothing(run: Run, folder: Path) -> None:
    """It finds something, says what, why and what stays, the largest first, with the time since its
    last use, and leaves every byte."""
    before = files(folder)
    code, said, _ = run("gc", folder, *ALL)
    assert code == 1 and "its time is over" in said and "--yes" in said
    assert "3 pages would go" in said and all(len(row) <= 100 for row in said.splitlines())
    rows = [row.split() for row in said.splitlines() if row.strip().startswith("outputs/")]
    assert {row[0] for row in rows} == pages(folder) and all(row[-1][-1] == "s" for row in rows)
    sizes = [(folder / row[0]).stat().st_size for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    code, out, _ = run("gc", folder, *ALL, "--json")
    plain = sum(path.stat().st_size for path in folder.glob("outputs/*"))
    assert json.loads(out)["disk"] == {"plain": plain, "packs": 0}
    assert files(folder) == before


def test_yes_lets_go(run: Run, folder: Path) -> None:
    """Beside a running agent it is refused, and says what to do there; else the files are gone with
    the command, and the check is clean."""
    with loom.open(folder, durable=False):
        assert run("gc", folder, *ALL)[0] == 1
        code, out, err = run("gc", folder, *ALL, "--yes", "--json")
        assert code == 2 and "ctx.history.gc" in err and json.loads(out)["kind"] == "StoreLocked"
    assert len(pages(folder)) == 3
    code, out, _ = run("gc", folder, *ALL, "--yes", "--json")
    found = json.loads(out)
    assert found["applied"] and len(found["gone"]) == 3 and found["freed"] > 3_000
    assert not pages(folder)
    assert code == run("check", folder)[0] == run("gc", folder, *ALL)[0] == 0


def test_a_quota(run: Run, folder: Path) -> None:
    """Over it the oldest go; what may not go is told, and found."""
    code, out, _ = run("gc", folder, "--horizon", "0", "--quota", "4 KB")
    assert code == 1 and "over the quota" in out
    code, out, _ = run("gc", folder, "--horizon", "0", "--quota", "0", "--yes")
    assert code == 1 and "nothing else may go" in out and not pages(folder)


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
