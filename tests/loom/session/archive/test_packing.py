"""Packing what is cold: nothing that is read or sent is another for it."""

import errno
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest

import loom
from loom.cli.check import check
from loom.replay.feed import replay
from loom.session.archive import packing
from loom_bench.sessions.generate import session
from loom_paging import FileStore

STEPS = 70
SMALL = {"AT": 12, "PAGES": 4, "SNAPSHOTS": 1, "SEGMENTS": 2}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs of a few files."""
    for name, value in SMALL.items():
        monkeypatch.setattr(packing, name, value)


def opened(folder: Path, **given: object) -> loom.Context:
    """A small window, many renewals."""
    return loom.open(folder, **{"window": 8_192, "durable": False, **given})


def live(folder: Path) -> loom.Context:
    """A context whose cold files are packed, where packs are small."""
    ctx = opened(folder, goal="Go on.")
    for _ in replay(ctx, session(3, STEPS)):
        pass
    assert len(packs(ctx)) > 2
    return ctx


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of such a context, closed; to be copied."""
    folder = tmp_path_factory.mktemp("packed") / "w"
    with mock.patch.multiple(packing, **SMALL):
        live(folder).close()
    return folder


@pytest.fixture
def lived(small: None, packed: Path, tmp_path: Path) -> Iterator[loom.Context]:
    """Such a context, opened again."""
    shutil.copytree(packed, tmp_path / "w")
    with opened(tmp_path / "w") as ctx:
        yield ctx


def packs(ctx: loom.Context) -> list[str]:
    """The packs of a workspace."""
    store = ctx._engine.workspace.store
    assert isinstance(store, FileStore)
    return [pack.path.name for pack in store.packs.all()]


def test_going_back_and_forking(lived: loom.Context) -> None:
    """An early request is gone back to, and copied, when its journal and pages are packed."""
    fork = lived.agents.fork("other", at=9)
    with fork:
        assert fork.window.sent.level == "undo"
        fork.turn()
    lived.history.undo(to=9)
    assert "undone" in repr(lived.turn().messages)


def test_a_failing_disk_leaves_all_as_it_was(
    lived: loom.Context, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where no pack can be written the turn goes on, and every page is there."""
    monkeypatch.setattr(packing, "AT", 1)
    before = packs(lived)
    put = FileStore.put

    def full(store: FileStore, name: str, data: bytes) -> None:
        if name.startswith("packs/"):
            raise OSError(28, "No space left on device")
        put(store, name, data)

    monkeypatch.setattr(FileStore, "put", full)
    for number in range(4):
        lived.user(f"More {number}. " * 300)
        lived.turn()
        lived.renew()
    assert packs(lived) == before
    lived.close()
    assert check(tmp_path / "w") == 0


def test_retired_pages_leave_their_packs(lived: loom.Context, tmp_path: Path) -> None:
    """Garbage collection takes bytes out of packs too; what stays is as it was."""
    kept = {
        name: lived.history.payload(name)
        for name in lived._engine.workspace.pager.table
        if name.startswith("outputs/")
    }
    found = lived.history.gc(loom.Retention(default=0, ttl={"shell": 0}, horizon=1), apply=True)
    gone = {page.name for page in found.gone}
    assert gone
    lived.user("Go on.")
    lived.turn()
    assert not gone & {*lived._engine.workspace.store.names()}
    for name in kept.keys() - gone:
        assert lived.history.payload(name) == kept[name]
    for name in gone:
        with pytest.raises(loom.errors.Expired):
            lived.page_in(name)
    lived.close()
    assert check(tmp_path / "w") == 0


def test_a_packed_snapshot_is_carried_on_from(lived: loom.Context, tmp_path: Path) -> None:
    """The path of a snapshot that was packed since leads to it still; another is a BadInput."""
    folder = tmp_path / "w" / "snapshots"
    path = folder / "working_0002.json"
    assert not path.exists()
    with opened(tmp_path / "on", snapshot=path) as ctx:
        assert ctx.working.goal == "Go on."
    with pytest.raises(loom.BadInput, match="is no snapshot"):
        opened(tmp_path / "off", snapshot=folder / "working_9999.json")


def test_a_damaged_pack_is_repaired(lived: loom.Context, tmp_path: Path) -> None:
    """What verifies of its members is written as files, the pack itself is left, and the check of
    the new workspace finds nothing."""
    lived.close()
    path = next((tmp_path / "w" / "packs").iterdir())
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    assert check(tmp_path / "w") == 1
    assert loom.repair(tmp_path / "w", tmp_path / "new").lost
    assert not (tmp_path / "new" / "packs").exists()
    assert check(tmp_path / "new") == 0
    with opened(tmp_path / "new") as again:
        again.user("Go on.")
        again.turn()
    assert not loom.repair(tmp_path / "new", tmp_path / "newer").lost


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.EIO, "I/O error")])
def test_cut_short_amid_the_journal(small: None, tmp_path: Path, error: BaseException) -> None:
    """The context goes on, though some of its journal's plain files have gone."""
    unlink, met = Path.unlink, list[Path]()

    def failing(path: Path, **more: bool) -> None:
        unlink(path, **more)
        if path.parent.name == "journal" and not met:
            met.append(path)
            raise error

    with opened(tmp_path / "w") as ctx, mock.patch.object(Path, "unlink", failing):
        for number in range(6):
            with suppress(KeyboardInterrupt):
                ctx.user(f"say {number} " * 400)
                ctx.turn()
                ctx.renew()
                ctx.turn()
    assert met
    with opened(tmp_path / "w") as ctx:
        ctx.user("and on")
        ctx.turn()
    assert check(tmp_path / "w") == 0
