"""Going back in a long session folds from a window that was kept, and to the same window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import msgpack
from msgspec.structs import replace

import loom
from loom.inspect.untrue import untrue
from loom.session.archive import folded, past
from loom.session.archive.folded import kept_window, maker
from loom.session.archive.past import window_at
from loom.session.archive.workspace import Workspace
from loom_paging import FileStore
from loom_paging.checkpoint import keep_past, past_commits
from loom_partitions.records import Record, Turned
from loom_partitions.window import Window, fold
from tests.kit.journal import records
from tests.kit.opened import plain, private_copy
from tests.kit.step import step

STEPS = 120


class LongLife:
    """A workspace, and the windows of its requests by their numbers; told in few words."""

    def __init__(self, folder: Path, windows: dict[int, Window]) -> None:
        self.folder, self.windows = folder, windows

    def __repr__(self) -> str:
        return f"<{len(self.windows)} requests>"


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> LongLife:
    """A workspace in which a window was kept every 40 commits, and the windows of its requests."""
    folder, made = tmp_path_factory.mktemp("long") / "w", {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folded, "APART", 40)
        patch.setattr(folded, "TAIL", 15)
        with plain(folder, window=8_192) as ctx:
            ctx.user("Port it.")
            for number in range(STEPS):
                turn = ctx.turn()
                made[turn.number] = ctx.window
                step(ctx, number % 40)
                if number % 37 == 36:
                    ctx.history.undo(to=number // 2)
    return LongLife(folder, made)


def read(folder: Path) -> Workspace:
    """The workspace, for reading."""
    return Workspace.at_path(folder, write=False)


def test_the_same_windows_for_less_work(long: LongLife, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is the one the request was made of, and no more is folded than lies between two."""
    folds = 0

    def counting(records: Sequence[Record], window: Window) -> Window:
        nonlocal folds
        folds += len(records)
        return fold(records, window)

    monkeypatch.setattr(past, "fold", counting)
    workspace = read(long.folder)
    for number, window in long.windows.items():
        folds = 0
        assert window_at(workspace, number) == window
        assert folds < 300, number


@settings(suppress_health_check=list(HealthCheck), max_examples=12, deadline=None)
@given(at=st.integers(0, 10**6), bit=st.integers(0, 7), cut=st.booleans(), to=st.integers(1, STEPS))
def test_damage_costs_time_alone(
    long: LongLife,
    tmp_path_factory: pytest.TempPathFactory,
    at: int,
    bit: int,
    cut: bool,
    to: int,
) -> None:
    """One that was altered or cut off anywhere is passed over."""
    folder = private_copy(long.folder, tmp_path_factory.mktemp("damage") / "w")
    for path in (folder / "checkpoints").glob("at_*"):
        data = bytearray(path.read_bytes())
        if cut:
            del data[at % len(data) :]
        else:
            data[at % len(data)] ^= 1 << bit
        path.write_bytes(bytes(data))
    workspace = read(folder)
    assert all(kept_window(workspace.store, one) is None for one in past_commits(workspace.store))
    assert window_at(workspace, to) == long.windows[to]
    assert untrue(workspace) == []


def test_one_that_is_untrue_is_told(long: LongLife, tmp_path: Path) -> None:
    """One that verifies and says other than the journal: `loom check` names its commit."""
    folder = private_copy(long.folder, tmp_path / "w")
    workspace = read(folder)
    assert untrue(workspace) == []
    number = past_commits(workspace.store)[1]
    window = kept_window(workspace.store, number)
    assert window is not None
    false = replace(window, sent=replace(window.sent, turn=9_999))
    sealed = workspace.journal.sealed
    upto = sealed.firsts.index(number + 1)
    before = replace(
        sealed, firsts=sealed.firsts[:upto], sizes=sealed.sizes[:upto], last=number,
        **_line_of(workspace, number),
    )  # fmt: skip
    keep_past(FileStore(folder), maker(), before, msgpack.encode(false))
    assert kept_window(workspace.store, number) == false
    assert untrue(read(folder)) == [
        f"the window kept from commit {number} is another one than the journal folds to"
    ]


def _line_of(workspace: Workspace, number: int) -> dict[str, object]:
    """The length and the checksum of the line of a commit, as sealed segments tell them."""
    journal = workspace.journal
    place = journal._places.of(number)
    line = workspace.store.read(journal.segments[place.segment], place.offset, place.length)
    return {"tail": place.length, "crc": line[8:16].decode()}


def test_a_purge_forgets_them(long: LongLife, tmp_path: Path) -> None:
    """They hold what was said; and the purged journal no longer says the sha256 of a request."""
    folder = private_copy(long.folder, tmp_path / "w")
    kept = [path.read_bytes() for path in (folder / "checkpoints").glob("at_*")]
    assert any(b"line 7 of the output" in data for data in kept)
    loom.purge(folder, ["line 7 of the output"], durable=False)
    assert list((folder / "checkpoints").glob("*")) == []
    with plain(folder) as ctx:
        hashes = {one.sha256 for one in records(ctx) if isinstance(one, Turned)}
        assert hashes == {""}
        assert window_at(ctx._engine.workspace, 60).tokens.total > 0


def test_of_another_version_or_journal(
    long: LongLife, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another program wrote, or is of another journal, does not count."""
    store = FileStore(long.folder, create=False)
    number = past_commits(store)[0]
    assert kept_window(store, number) is not None
    with monkeypatch.context() as patch:
        patch.setattr(folded, "maker", lambda: "another")
        assert kept_window(store, number) is None
    with plain(tmp_path / "w", window=8_192) as ctx:
        for _ in range(number):
            ctx.user("Go.")
        ctx.renew()
    name = f"checkpoints/at_{number:09d}"
    (tmp_path / "w" / name).write_bytes((long.folder / name).read_bytes())
    assert kept_window(FileStore(tmp_path / "w", create=False), number) is None
