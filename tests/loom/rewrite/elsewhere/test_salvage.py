"""A damaged log: all that is whole is saved, and what is not is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

import loom
from loom.cli import main
from loom_paging import MissingPage
from loom_paging.remote.open_address import open_tree
from loom_paging.remote.tree import RemoteTree
from loom_paging.sub_store import sub_store
from tests.kit.cases import all_cases
from tests.loom.rewrite.elsewhere.test_commands import say
from tests.loom.rewrite.elsewhere.worker import work

TURNS = 12
NAME = "journal/000001.jsonl"


def begun(address: str) -> None:
    """An agent that was told a number at each turn."""
    with loom.open(address, goal="Keep numbers.", window=64_000) as ctx:
        for number in range(1, TURNS + 1):
            ctx.user(f"number {number} is here")
            ctx.turn()
            ctx.reply(loom.Reply((loom.Speech(f"kept {number}"),)))


def numbers(place: str) -> set[int]:
    """The numbers it still has."""
    with loom.open(f"{place}?cache=0" if "://" in place else place) as ctx:
        asked = json.dumps(ctx.turn().request("openai"))
    return {number for number in range(1, TURNS + 1) if f"number {number} is here" in asked}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the log of such an agent."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    begun(f"file://{tmp_path}/objects/agent")
    return tmp_path / "objects/agent/log"


@all_cases("damage", ["torn", "gone", "other bytes", "let go"])
def test_what_stands_behind_damage_is_saved(
    log: Path, tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One batch of a turn is damaged: the turns before and after it are there, and it is told."""
    at = log / f"{6:012d}"
    data = at.read_bytes()
    if damage == "gone":
        at.unlink()
    else:
        made = {"torn": data[: len(data) // 2], "other bytes": b"x" * 90, "let go": b"LOOMgone"}
        at.write_bytes(made[damage])
    address, new = f"file://{log.parent}", f"file://{tmp_path}/objects/new"
    assert main(["check", address]) == 1
    assert at.name in capsys.readouterr().err
    assert main(["repair", address, new]) == 1
    told = capsys.readouterr().out
    assert "lost: log" in told and "nothing was lost" not in told
    assert at.name in told or "1 × batch" in told
    kept = numbers(new)
    assert len(kept) >= TURNS - 2 and {1, TURNS} <= kept
    report = loom.repair(address, tmp_path / "folder")
    (problem,) = [file for file in report.workspaces[0].files if file.kind == "log"]
    assert at.name in problem.where + problem.what or "the first of them 6" in problem.what
    assert numbers(str(tmp_path / "folder")) == kept


def test_a_damaged_checkpoint_costs_nothing(log: Path, tmp_path: Path) -> None:
    """The log has all; a repair tells of it."""
    address = f"file://{log.parent}"
    store = open_tree(address, write=True)
    store._own.checkpoint()  # type: ignore[attr-defined]
    store.close()  # type: ignore[attr-defined]
    (kept,) = (log.parent / "folds").iterdir()
    kept.write_bytes(b"damaged")
    assert numbers(address) == set(range(1, TURNS + 1))
    report = loom.repair(address, tmp_path / "new")
    assert [file.where for file in report.workspaces[0].files] == [f"folds/{kept.name}"]
    assert numbers(str(tmp_path / "new")) == set(range(1, TURNS + 1))


def other(tmp_path: Path) -> Path:
    """The log of another agent, which was told other things at the same turns."""
    with loom.open(f"file://{tmp_path}/objects/other", goal="Else.", window=64_000) as ctx:
        for number in range(1, TURNS + 1):
            ctx.user(f"foreign {number}")
            ctx.turn()
            ctx.reply(loom.Reply((loom.Speech(f"kept {number}"),)))
    return tmp_path / "objects/other/log"


@all_cases("which", ["one", "all from there", "swapped", "behind the last"])
def test_a_batch_of_elsewhere_is_no_part_of_it(log: Path, tmp_path: Path, which: str) -> None:
    """It is whole, and told; what stands around it is saved, and nothing of another log."""
    foreign, names = other(tmp_path), sorted(path.name for path in log.iterdir())
    if which == "swapped":
        one, two = log / names[5], log / names[6]
        first, second = one.read_bytes(), two.read_bytes()
        one.write_bytes(second)
        two.write_bytes(first)
    else:
        end = f"{int(names[-1]) + 1:012d}"
        chosen = {"one": names[5:6], "all from there": names[5:], "behind the last": [end]}[which]
        for name in chosen:
            (log / name).write_bytes((foreign / min(name, names[-1])).read_bytes())
    report = loom.repair(f"file://{log.parent}", tmp_path / "new")
    assert report.lost and any(file.kind == "log" for file in report.workspaces[0].files)
    with loom.open(tmp_path / "new") as ctx:
        assert "foreign" not in json.dumps(ctx.turn().request("openai"))
    kept = numbers(str(tmp_path / "new"))
    least = {"one": 10, "all from there": 3, "swapped": 9, "behind the last": 12}[which]
    assert len(kept) >= least and 1 in kept


def test_a_purge_leaves_no_damaged_checkpoint(log: Path, tmp_path: Path) -> None:
    """Whatever number it has: nobody can say what is in it."""
    (log.parent / "folds").mkdir(exist_ok=True)
    (odd := log.parent / "folds" / f"{999_999:012d}").write_bytes(b"number 3 is here")
    assert loom.purge(f"file://{log.parent}", ["number 3 is here"]).done
    assert not odd.exists()


def checkpoint(place: str, note: bytes = b"") -> None:
    """Put a checkpoint of the store at an address: what lay in batches is merged."""
    store = open_tree(place, write=True)
    assert isinstance(store, RemoteTree)
    if note:
        store.put("notes/large.md", note)
    store.sweep_objects()
    store.close()


@all_cases("bad", [{0}, {1}, {0, 1}])
@all_cases("how", ["altered", "gone"])
def test_all_that_lies_in_sound_objects_is_read(bad: set[int], how: str, tmp_path: Path) -> None:
    """Of a damaged one as many zeros and a line end are left, and a repair goes on behind it."""
    place = f"file://{tmp_path}/objects/agent"
    for turns in (2, 4):
        work(place, turns)
        checkpoint(place)
    store = open_tree(f"{place}?cache=0", write=False)
    assert isinstance(store, RemoteTree)
    spans, expected = store._own._fold.cell(NAME).extents, b""
    keys = list(dict.fromkeys(span.key for span in spans))
    assert len(keys) >= 2
    for span, data in [(span, store._own._read_span(span)) for span in spans]:
        if keys.index(span.key) in bad:
            data = b"\0" * (span.length - 1) + b"\n"
            at = tmp_path / "objects/agent" / span.key
            at.write_bytes(b"other") if how == "altered" else at.unlink(missing_ok=True)
        expected += data
    found = open_tree(f"{place}?cache=0", write=False, salvage=True)
    expected += b"\n" * expected.endswith(b"\0\n")  # else the end would be a torn line, which no
    assert isinstance(found, RemoteTree) and found.salvaged(NAME) == expected  # call has written
    below = sub_store(
        open_tree(f"file://{tmp_path}/objects/agent?cache=0", write=False), "agents/x"
    )
    with pytest.raises(MissingPage):
        cast("Any", below).salvaged(NAME)
    assert loom.repair(f"{place}?cache=0", tmp_path / "new").lost


def test_repair_tells_a_file_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside the journal and its pages: it is named, and not left out in silence."""
    place = f"file://{tmp_path}/objects/agent"
    work(place, 2)
    checkpoint(place, note=b"a note\n" * 9_000)
    page = max((tmp_path / "objects/agent/pages").iterdir(), key=lambda at: at.stat().st_size)
    page.write_bytes(b"other")
    code, told = say(capsys, "repair", f"{place}?cache=0", f"{tmp_path}/saved")
    assert code == 1 and "lost: notes/large.md" in told and "1 file" in told
