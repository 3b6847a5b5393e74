"""Readers beside a session that collects: what goes while they read is no damage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import loom
from loom.cli import main
from loom.rewrite.export import MovedFiles, export
from loom_paging import FileStore
from tests.kit.step import step

TERSE = loom.Policy(index_tokens=0, index_share=0.0, digest_tokens=0, digest_share=0.0)
NOW = loom.Retention(default=0, horizon=0)
READERS: dict[str, Callable[[Path, Path], object]] = {
    "check": lambda folder, out: main(["check", str(folder)]),
    "export": lambda folder, out: export(folder, out),
    "export as messages": lambda folder, out: main(
        ["export", str(folder), str(out), "--format", "openai"]
    ),
}


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A session with pages that nothing names any more."""
    with loom.open(tmp_path / "w", window=8_192, policy=TERSE, durable=False) as ctx:
        for number in range(4):
            step(ctx, 60, tool="Read", args={"path": f"f{number}.py"})
        step(ctx)
        ctx.renew(0)
        yield ctx


@pytest.mark.parametrize("reader", READERS)
def test_pages_that_go_meanwhile(
    ctx: loom.Context, tmp_path: Path, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal is read, then pages go: the reader looks again, and finds nothing wrong."""
    real = FileStore.read

    def read(store: FileStore, name: str, offset: int, length: int) -> bytes:
        if name.startswith("outputs/read_") and not went:
            went.append(name)
            assert ctx.history.gc(NOW, apply=True).gone
            ctx.user("On.")  # the files go
        return real(store, name, offset, length)

    went: list[str] = []
    monkeypatch.setattr(FileStore, "read", read)
    found = READERS[reader](tmp_path / "w", tmp_path / "out")
    assert found == 0 or (isinstance(found, MovedFiles) and not found.problems)
    assert went


def test_damage_is_there_each_time(ctx: loom.Context, tmp_path: Path) -> None:
    """A page that went without a record is told, however often it is looked for."""
    (tmp_path / "w/outputs/read_0001.txt").unlink()
    assert main(["check", str(tmp_path / "w")]) == 1
    with pytest.raises(loom.DamagedWorkspace):
        export(tmp_path / "w", tmp_path / "out")
