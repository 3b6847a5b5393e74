"""Packing what is cold: nothing that is read or sent is another for it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

import loom
from loom.cli.check import check
from loom.engine.archive import packing
from loom.engine.archive.restore import restore
from loom.replay.feed import feed, replay
from loom_bench.sessions.generate import session
from loom_paging import FileStore
from loom_paging.packing import unpack

TOLD = re.compile(r"(?<!\w)(?:outputs/[a-z]+_[0-9]{4}\.[a-z]+|history/step_[0-9]{4}\.json)")
STEPS = 70
SMALL = {"AT": 12, "SNAPSHOTS": 1, "SEGMENTS": 2}
FREE = loom.Budget(steps=1_000, step_tokens=0, files=0, bytes=0, seconds=0)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs of a few files."""
    for name, value in SMALL.items():
        monkeypatch.setattr(packing, name, value)


def opened(folder: Path, **given: object) -> loom.Context:
    """A small window, many renewals."""
    return loom.open(folder, **{"window": 8_192, "durable": False, **given})  # type: ignore[arg-type]


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


def plain(folder: Path) -> set[str]:
    """The plain files of pages."""
    return {f"outputs/{path.name}" for path in folder.glob("outputs/*")}


def test_few_files_are_not_packed(tmp_path: Path) -> None:
    """A session of no great length has no packs."""
    with opened(tmp_path / "w") as ctx:
        for _ in replay(ctx, session(3, 40)):
            pass
        assert ctx.window.sent.generation > 1
        assert packs(ctx) == []
    assert not (tmp_path / "w" / "packs").exists()


def test_requests_are_the_same(
    small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Byte for byte those of a workspace that packs nothing, but for the mark of the session."""

    def requests(folder: Path) -> list[str]:
        with opened(folder, goal="Go on.") as ctx:
            mark = ctx.window.config.mark
            return [
                re.sub(r"\d\d:\d\d:\d\d", "", repr(turn.messages)).replace(mark, "mark")
                for turn in replay(ctx, session(3, STEPS))
            ]

    packed = requests(tmp_path / "packed")
    monkeypatch.setattr(packing, "AT", 1_000_000)
    assert requests(tmp_path / "plain") == packed
    assert (tmp_path / "packed" / "packs").is_dir()
    assert not (tmp_path / "plain" / "packs").exists()


def test_everything_comes_back(lived: loom.Context, tmp_path: Path) -> None:
    """Every page and entry, whole and by name, equals what plain files give; so does a recall."""
    shutil.copytree(tmp_path / "w", tmp_path / "copy", ignore=shutil.ignore_patterns("LOCK"))
    store = FileStore(tmp_path / "copy", durable=False)
    unpack(store)
    index = lived._engine.workspace.index
    table = lived._engine.workspace.pager.table
    with opened(tmp_path / "copy") as other:
        for entry in index.commits:
            assert restore(lived._engine.workspace, entry) == restore(
                other._engine.workspace, entry
            )
        for name in table:
            if name.startswith("outputs/"):
                assert lived.history.payload(name) == other.history.payload(name)
        assert lived.recall("error failed") == other.recall("error failed")
        assert lived.turn().sha256 == other.turn().sha256


def test_told_paths_open(small: None, tmp_path: Path) -> None:
    """Each path a request tells has a plain file when the request is handed out; few others do."""
    folder = tmp_path / "w"
    seen = set[str]()
    with opened(folder, goal="Go on.") as ctx:
        for turn in replay(ctx, session(3, STEPS)):
            told = set(TOLD.findall(repr(turn.messages)))
            known = {path for path in told if path in ctx._engine.workspace.pager.table}
            assert all((folder / path).is_file() for path in known)
            seen |= known
        packed = sorted(seen - plain(folder))
        assert packed
        ctx.user(f"Look into {packed[0]} again.")
        ctx.turn()
        data = (folder / packed[0]).read_bytes()
        assert data == ctx.history.payload(packed[0])


def test_reopened(small: None, tmp_path: Path) -> None:
    """The same request, the check finds nothing, and the session goes on and packs on."""
    lived = live(tmp_path / "w")
    request, before = lived.turn().request("anthropic"), packs(lived)
    lived.close()
    assert check(tmp_path / "w") == 0
    with opened(tmp_path / "w") as again:
        assert again.turn().request("anthropic") == request
        for event in session(4, STEPS).events:
            if type(event).__name__ == "Reply":
                again.turn()
            if type(event).__name__ != "System":
                feed(again, event)
        assert len(packs(again)) > len(before)
    assert check(tmp_path / "w") == 0


def test_going_back_and_forking(lived: loom.Context) -> None:
    """An early request is gone back to, and copied, when its journal and pages are packed."""
    fork = lived.agents.fork("other", at=9)
    with fork:
        assert fork.window.sent.level == "undo"
        fork.turn()
    lived.history.undo(to=9)
    assert "undone" in repr(lived.turn().messages)


def test_a_purge_leaves_nothing_in_packs(small: None, tmp_path: Path) -> None:
    """A value that was packed is gone from every byte of the workspace."""
    value = "correct-horse-4711-battery"
    with opened(tmp_path / "w", goal="Go on.", redact=()) as ctx:
        ctx.user("Begin.")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("first", "Bash", '{"command":"env"}'),)))
        ctx.result("first", f"line\n{value}\n" * 200)
        for _ in replay(ctx, session(3, STEPS)):
            pass
        assert packs(ctx)
    report = loom.purge(tmp_path / "w", [value])
    assert report.done
    for path in (tmp_path / "w").rglob("*"):
        assert path.is_dir() or value.encode() not in path.read_bytes()
    assert not (tmp_path / "w" / "packs").exists()
    assert check(tmp_path / "w") == 0


def test_a_child_keeps_its_files(small: None, tmp_path: Path) -> None:
    """The one above was told paths of a child's pages: nothing of a child is packed."""
    with opened(tmp_path / "w", goal="Go on.") as ctx:
        child = ctx.agents.spawn("Work.", name="one", budget=FREE)
        for _ in replay(child, session(3, STEPS)):
            pass
        child.close()
    assert not (tmp_path / "w" / "agents" / "one" / "packs").exists()


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
    store = lived._engine.workspace.store
    assert not gone & {*store.names()}
    for name in kept.keys() - gone:
        assert lived.history.payload(name) == kept[name]
    for name in gone:
        with pytest.raises(loom.Expired):
            lived.page_in(name)
    lived.close()
    assert check(tmp_path / "w") == 0


def test_a_packed_snapshot_is_carried_on_from(lived: loom.Context, tmp_path: Path) -> None:
    """The path of a snapshot that was packed since leads to it still; another is a BadSnapshot."""
    folder = tmp_path / "w" / "snapshots"
    path = folder / "working_0002.json"
    assert not path.exists()
    with opened(tmp_path / "on", snapshot=path) as ctx:
        assert ctx.working.goal == "Go on."
    with pytest.raises(loom.BadSnapshot):
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
    report = loom.repair(tmp_path / "w", tmp_path / "new")
    assert report.lost
    assert not (tmp_path / "new" / "packs").exists()
    assert check(tmp_path / "new") == 0
    with opened(tmp_path / "new") as again:
        again.user("Go on.")
        again.turn()
    assert not loom.repair(tmp_path / "new", tmp_path / "newer").lost
