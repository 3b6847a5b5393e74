"""A snapshot somebody else made: refused with nothing made, or carried on from at a fair cost."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

import loom
from loom.session.archive.snapshot_document import UNSEALED
from loom_paging import FileStore
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session that was renewed."""
    folder = tmp_path_factory.mktemp("earlier") / "a"
    with plain(folder, goal="Mend it.", window=16_000) as ctx:
        ctx.working.plan(["read", "mend"])
        ctx.working.evidence("clock", "it reads time.time()")
        ctx.events.signal("ci", "it fails")
        for number in range(6):
            step(ctx, f"line of {number}\n" * 150)
        ctx.turn()
        ctx.renew(300)
    return folder


def sealed(members: dict[str, Any]) -> bytes:
    """Return a snapshot with these members, under a seal of its own."""
    data = json.format(json.encode({**members, "sha256": UNSEALED}), indent=1)
    return data.replace(UNSEALED.encode(), sha256(data).hexdigest().encode(), 1)


def forged(earlier: Path, change: dict[str, Any]) -> bytes:
    """Return the snapshot of a session with other members."""
    return sealed(json.decode((earlier / "snapshots/working_0001.json").read_bytes()) | change)


def page(number: int = 1, size: int = 1, seal: str = "a" * 64) -> dict[str, object]:
    """Return a page as an index has it."""
    return {"name": f"outputs/read_{number:04d}.txt", "kind": "read", "size": size, "sha256": seal}


RISK = {"id": "a", "summary": "b", "urgency": "low", "disposition": "defer"}
ODD: list[dict[str, Any]] = [
    {"loom_snapshot": 0},
    {"loom_snapshot": -1},
    {"loom_snapshot": True},
    {"next_id": 0},
    {"next_id": -5},
    {"next_id": 2**62},
    {"generation": -3},
    {"generation": 2**63 - 1},
    {"errors": list(range(100_000))},
    {"errors": [-1]},
    {"plan": [{"text": "x", "state": "weird"}]},
    {"plan": [{"text": "x"}] * 50_000},
    {"pins": ["p"] * 20_000},
    {"pages": [page(size=-5)]},
    {"pages": [page(size=2**60)]},
    {"pages": [page(10**12)]},
    {"pages": [page(), page()]},
    {"pages": [page(number) for number in range(20_000)]},
    {"decisions": [{"id": "a", "disposition": "weird"}]},
    {"knowledge_surface": {"evidence_packs": [{"id": "a", "summary": "b", "confidence": 7.0}]}},
    {"event_surface": {"active_risks": [RISK | {"urgency": "weird"}]}},
    {"event_surface": {"active_risks": [RISK | {"disposition": "weird"}]}},
]


@all_cases("change", ODD, ids=lambda change: f"{change!s:.40}")
def test_odd_values_are_refused(earlier: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    """BadInput, and nothing lies where the workspace would have been."""
    made = forged(earlier, change)
    lain = tmp_path / "snapshots" / "s.json"
    lain.parent.mkdir()
    lain.write_bytes(made)
    for number, snapshot in enumerate((made, lain)):
        with pytest.raises(loom.BadInput, match="nothing was made"):
            plain(tmp_path / f"b{number}", snapshot=snapshot)
        assert not (tmp_path / f"b{number}").exists()


def test_what_is_no_snapshot_is_refused(earlier: Path, tmp_path: Path) -> None:
    """Too deep, empty, a folder, another file, its text in place of its name, no name at all."""
    text = (earlier / "snapshots/working_0001.json").read_text()
    odd = (b"[" * 200_000, b"no", b"{}", text, "{}", "a\0b", "/dev/null", earlier, Path(__file__))
    for made in odd:
        with pytest.raises(loom.BadInput, match="nothing was made") as caught:
            plain(tmp_path / "b", snapshot=made)
        assert len(str(caught.value)) < 900
        assert not (tmp_path / "b").exists()


def test_pages_that_are_not_there_are_looked_for_once(
    earlier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of thousands of names under one seal none is read; of a real one its bytes are read once."""
    real = json.decode((earlier / "snapshots/working_0001.json").read_bytes())["pages"][0]
    same = [page(number, real["size"], real["sha256"]) for number in range(500, 520)]
    gone = [page(number, seal="ab"[number % 2] * 64) for number in range(1_000, 3_000)]
    lain = earlier / "snapshots" / "forged.json"
    lain.write_bytes(forged(earlier, {"pages": [real, *same, *gone], "others": 0}))
    asked: list[str] = []
    read = FileStore.read

    def counted(store: FileStore, name: str, offset: int, length: int) -> bytes:
        if store.root == earlier.resolve():
            asked.append(name)
        return read(store, name, offset, length)

    monkeypatch.setattr(FileStore, "read", counted)
    with plain(tmp_path / "b", snapshot=lain) as ctx:
        assert ctx.page_in("read_0510").text == ctx.page_in(real["name"]).text
    assert asked == [real["name"]]
    lain.unlink()


def test_a_damaged_snapshot_is_refused(earlier: Path, tmp_path: Path) -> None:
    """Cut off, or with a bit of it flipped, and no folder is made."""
    whole = (earlier / "snapshots/working_0001.json").read_bytes()
    file, place = tmp_path / "s.json", tmp_path / "w"

    @given(st.integers(0, len(whole) - 1), st.none() | st.integers(0, 7))
    def tried(at: int, bit: int | None) -> None:
        data = bytearray(whole)
        if bit is None:
            del data[at:]
        else:
            data[at] ^= 1 << bit
        file.write_bytes(data)
        for one in (file, bytes(data)):
            if data.rstrip() != whole.rstrip():  # all but the line end is under its seal
                with pytest.raises(loom.BadInput, match="is no snapshot"):
                    plain(place, window=8_192, snapshot=one)
            assert not place.exists()

    tried()
