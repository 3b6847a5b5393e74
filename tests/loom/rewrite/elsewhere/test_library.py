"""`loom.purge` and `loom.repair` at addresses, as in folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loom
from loom.cli import main
from tests.loom.rewrite.elsewhere.test_commands import SECRET, holding, made


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A finished workspace on an object store that is a folder; what is temporary lies beside."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    place = f"file://{tmp_path}/objects/agent"
    made(place)
    return place


def test_an_agent_of_another_is_purged_with_it(tmp_path: Path, address: str) -> None:
    """Its hashes stand with the one above; nothing is changed."""
    with pytest.raises(loom.BadPurge, match="is an agent of"):
        loom.purge(f"{address}/agents/look", [SECRET])
    assert holding(tmp_path / "objects")


def test_a_repair_from_and_to_addresses(tmp_path: Path, address: str) -> None:
    """Into a folder, to another address, and to none where something is."""
    before = [path.read_bytes() for path in sorted((tmp_path / "objects").rglob("*"))
              if path.is_file()]  # fmt: skip
    new = f"file://{tmp_path}/objects/new"
    for place in (str(tmp_path / "saved"), new):
        assert not loom.repair(address, place).lost
        with loom.open(place) as ctx:
            assert "c2" in ctx.history.restore(2).results
    with pytest.raises(loom.PlaceTaken, match="objects/new"):
        loom.repair(address, new)
    with pytest.raises(loom.PlaceTaken, match="lies in a workspace"):
        loom.repair(address, f"{address}/agents/a")
    after = [path.read_bytes() for path in sorted((tmp_path / "objects/agent").rglob("*"))
             if path.is_file()]  # fmt: skip
    assert before == after


@pytest.mark.parametrize("damage", ["altered", "gone"])
def test_a_check_tells_what_is_altered_from_what_is_gone(
    tmp_path: Path, address: str, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page by its name, with the object behind it."""
    at = max((tmp_path / "objects/agent/pages").iterdir(), key=lambda path: path.stat().st_size)
    at.write_bytes(b"other") if damage == "altered" else at.unlink()
    capsys.readouterr()
    assert main(["check", f"{address}?cache=0", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["problems"]
    kinds = {problem["kind"] for problem in found}
    assert ("corrupt" in kinds, "missing" in kinds) == (damage == "altered", damage == "gone")
    assert any(at.name in problem["what"] for problem in found)
