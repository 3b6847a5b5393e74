"""`loom gc`: a dry run without a lock, --yes with it, and the options that say how long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loom
from loom.cli import main
from tests.kit.cases import all_cases
from tests.kit.step import step

ALL = ("--horizon", "0", "--ttl", "shell=0", "--ttl", "read=0s")
TERSE = loom.Policy(index_tokens=0, index_share=0.0, digest_tokens=0, digest_share=0.0)


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


def pages(folder: Path) -> int:
    """How many results lie there."""
    return len([*folder.glob("outputs/read_*"), *folder.glob("outputs/shell_*")])


def test_a_dry_run_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It finds something, says what, why and what stays, and leaves every byte."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert main(["gc", str(folder), *ALL]) == 1
    said = capsys.readouterr().out
    assert "goes" in said and "its time is over" in said and "--yes" in said
    assert "3 pages would go" in said and all(len(row) <= 100 for row in said.splitlines())
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_page_that_is_kept_says_what_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of the last requests alone needs it: undo can go back there."""
    with loom.open(tmp_path / "w", window=8_192, policy=TERSE, durable=False) as ctx:
        step(ctx, 60)
        ctx.turn()
        for _ in range(3):
            step(ctx, 60, tool="Read", args={"path": "f.py"})
        ctx.renew(0)
    assert main(["gc", str(tmp_path / "w"), "--ttl", "shell=0", "--ttl", "read=0"]) == 0
    assert "the last requests, for undo" in capsys.readouterr().out


def test_yes_lets_go(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The files are gone with the command; the check is clean."""
    assert main(["gc", str(folder), *ALL, "--yes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["applied"] and len(found["gone"]) == 3 and found["freed"] > 3_000
    assert pages(folder) == 0 and main(["check", str(folder)]) == 0
    assert main(["gc", str(folder), *ALL]) == 0


def test_beside_a_running_agent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A dry run reads; --yes is refused, and says what to do there."""
    with loom.open(folder, durable=False):
        assert main(["gc", str(folder), *ALL]) == 1
        capsys.readouterr()
        assert main(["gc", str(folder), *ALL, "--yes", "--json"]) == 2
        told = capsys.readouterr()
        assert "ctx.history.gc" in told.err and json.loads(told.out)["kind"] == "StoreLocked"
    assert pages(folder) == 3


def test_a_quota(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Over it the oldest go; what may not go is told, and found."""
    assert main(["gc", str(folder), "--horizon", "0", "--quota", "4 KB"]) == 1
    assert "over the quota" in capsys.readouterr().out
    assert main(["gc", str(folder), "--horizon", "0", "--quota", "0", "--yes"]) == 1
    assert "nothing else may go" in capsys.readouterr().out and pages(folder) == 0


@all_cases(
    "odd",
    [
        ("--ttl", "shell"),
        ("--ttl", "=5m"),
        ("--ttl", "shell=soon"),
        ("--ttl", "shell=5w"),
        ("--ttl", "message=5m"),
        ("--ttl", "nope=1s"),
        ("--quota", "5 XB"),
        ("--quota=-1",),
        ("--horizon=-1",),
    ],
)
def test_odd_options(
    folder: Path, odd: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is refused with what would do."""
    assert main(["gc", str(folder), *odd]) == 2
    said = capsys.readouterr().err
    assert "give" in said or odd[-1].startswith("message") or "list, page, read" in said
