"""Addresses where objects are damaged, or the store does not answer: nobody is told all is well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loom
from loom.cli.app import main
from tests.loom.rewrite.elsewhere.test_commands import SECRET, holding, made, say


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A workspace on an object store that is a folder, read without what this machine keeps."""
    place = f"file://{tmp_path}/objects/agent"
    made(place)
    return f"{place}?cache=0"


def objects(tmp_path: Path) -> dict[Path, bytes]:
    """Every object there, but for leases."""
    found = [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]
    return {path: path.read_bytes() for path in found if path.name != "lease"}


def largest(tmp_path: Path) -> Path:
    """The largest object of a page."""
    pages = (tmp_path / "objects/agent/pages").iterdir()
    return max(pages, key=lambda path: path.stat().st_size)


@pytest.mark.parametrize("how", ["altered", "gone"])
def test_purge_refuses_where_an_object_is_damaged(
    how: str, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may hold the secret: its object is named, and nothing is changed, told or done."""
    at = largest(tmp_path)
    at.write_bytes(f"other {SECRET}".encode()) if how == "altered" else at.unlink()
    (tmp_path / "secrets").write_text(SECRET)
    before = objects(tmp_path)
    for yes in ([], ["--yes"]):
        code, told = say(capsys, "purge", address, "--from", f"{tmp_path}/secrets", *yes)
        assert code == 2 and at.name.partition("-")[0][:10] in told and "loom repair" in told
        assert "Purged" not in told and "Nothing found" not in told
    for dry in (True, False):
        with pytest.raises(loom.BadInput, match="cannot be read"):
            loom.purge(address, [SECRET], dry_run=dry)
    assert objects(tmp_path) == before and holding(tmp_path / "objects")
    loom.repair(address, f"file://{tmp_path}/objects/new")
    assert loom.purge(f"file://{tmp_path}/objects/new", [SECRET]).done
    assert holding(tmp_path / "objects/new") == []


@pytest.mark.parametrize("how", ["altered", "gone"])
def test_a_damaged_page_is_told_where_it_is_asked_for(
    how: str, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its object, as damage; what does not need it is read as ever."""
    at = largest(tmp_path)
    at.write_bytes(b"other") if how == "altered" else at.unlink()
    capsys.readouterr()
    assert main(["check", address, "--json"]) == 1
    kinds = {problem["kind"] for problem in json.loads(capsys.readouterr().out)["problems"]}
    assert ("corrupt" in kinds, "missing" in kinds) == (how == "altered", how == "gone")
    code, told = say(capsys, "cat", address, "read_0001")
    assert code == (1 if how == "altered" else 2) and at.name in told
    assert say(capsys, "cat", address, "step_0003")[0] == 0
    code, told = say(capsys, "cat", address, "read_0099")
    assert code == 2 and "no page" in told and at.name not in told


def test_a_damaged_journal_is_told_and_not_taken_for_an_empty_one(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The object is named; `ps` tells it of that agent, and of the others what they are."""
    with loom.open(address) as ctx:
        ctx.renew()  # the journal so far is merged into objects of its own
    for merged in (tmp_path / "objects/agent/merged").iterdir():
        merged.write_bytes(b"other")
    for words in (("stat",), ("log",), ("context",), ("pages",), ("show",), ("top", "--once")):
        code, told = say(capsys, *words, address)
        assert code == 1 and "merged/" in told and "is damaged" in told, words
    code, told = say(capsys, "export", address, f"{tmp_path}/out.tar")
    assert code == 1 and not (tmp_path / "out.tar").exists()
    code, told = say(capsys, "export", address, f"{tmp_path}/out.tar", "--as-is")
    assert code == 0 and "left out: journal/" in told
    capsys.readouterr()
    assert main(["ps", address, "--json"]) == 1
    root = json.loads(capsys.readouterr().out)
    assert root["state"] == "damaged" and "merged/" in root["why"]
    assert root["agents"][0]["commits"] > 0
    code, told = say(capsys, "check", address)
    assert code == 1 and "merged/" in told


def test_a_damaged_log_below_is_told_as_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The agent above and the one beside it are told as ever; check, purge and export tell it."""
    address = f"file://{tmp_path}/objects/agent"
    with loom.open(address, goal="Look.", window=64_000) as ctx:
        ctx.turn()
        for name in ("look", "wait"):
            with ctx.agents.spawn("Look around.", name=name, window=8_192) as below:
                below.user("What is there?")
                below.turn()
        ctx.turn()
    at = tmp_path / "objects/agent/agents/look/log" / f"{3:012d}"
    at.write_bytes(b"x" * 90)
    capsys.readouterr()
    main(["ps", address, "--json"])
    told = json.loads(capsys.readouterr().out)
    states = {one["name"]: one["state"] for one in told["agents"]}
    assert told["state"] != "damaged" and states["look"] == "damaged" != states["wait"]
    assert main(["stat", address]) in (0, 1)
    assert "Look." in capsys.readouterr().out
    lost = {
        one.agent: [file.where for file in one.files]
        for one in loom.repair(address, tmp_path / "new").workspaces
    }
    assert lost == {"": [], "agents/look": [f"log/{3:012d}"], "agents/wait": []}
    for words in (["check", address], ["export", address, str(tmp_path / "out.tar")]):
        assert main(words) == 1
        out = capsys.readouterr()
        assert at.name in out.out + out.err, words
    with pytest.raises(loom.LoomError, match=at.name):
        loom.purge(address, ["a secret that nobody told"])


def test_a_repair_from_and_to_addresses(tmp_path: Path, address: str) -> None:
    """Into a folder, to another address, and to none where something is."""
    before = [path.read_bytes() for path in sorted((tmp_path / "objects").rglob("*"))
              if path.is_file()]  # fmt: skip
    new = f"file://{tmp_path}/objects/new"
    for place in (str(tmp_path / "saved"), new):
        assert not loom.repair(address, place).lost
        with loom.open(place) as ctx:
            assert "c2" in ctx.history.restore(2).results
    with pytest.raises(loom.BadInput, match="objects/new"):
        loom.repair(address, new)
    with pytest.raises(loom.BadInput, match="lies in a workspace"):
        loom.repair(address, f"file://{tmp_path}/objects/agent/agents/a")
    after = [path.read_bytes() for path in sorted((tmp_path / "objects/agent").rglob("*"))
             if path.is_file()]  # fmt: skip
    assert before == after
