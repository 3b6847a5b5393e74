"""A disk that takes nothing more keeps nobody from reading, nor from letting pages go."""

import errno
import os
from pathlib import Path

import pytest

import loom
from loom.cli.app import main
from loom_paging import FileStore
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step

NOW = loom.Retention(ttl={"shell": 0.0}, horizon=0)


class Taken(FileStore):
    """Real files on a disk that takes nothing more while `fails_with` is the number of an error."""

    fails_with = 0

    def append(self, name: str, data: bytes) -> None:
        """Append, or fail."""
        self._check(name)
        super().append(name, data)

    def put(self, name: str, data: bytes) -> None:
        """Put, or fail."""
        self._check(name)
        super().put(name, data)

    def sketch(self, name: str, data: bytes) -> None:
        """Write a view, or fail."""
        self._check(name)
        super().sketch(name, data)

    def delete(self, name: str) -> None:
        """Delete, which makes room, but for a disk that is only read."""
        if self.fails_with == errno.EROFS:
            self._check(name)
        super().delete(name)
        if name.startswith("outputs/"):
            self.fails_with = 0

    def _check(self, name: str) -> None:
        if self.fails_with:
            raise OSError(self.fails_with, os.strerror(self.fails_with), name)


FULL = [errno.ENOSPC, errno.EDQUOT]


def lived(ctx: loom.Context) -> None:
    """A life whose first results have left the window, and nothing names them."""
    ctx.user("do it")
    for number in range(14):
        ctx.turn()
        step(ctx, 300 + number)
    ctx.resize(4_000)
    ctx.user("go on")
    for number in range(8):
        ctx.turn()
        step(ctx, 100 + number)
    ctx.turn()


def read(ctx: loom.Context) -> str:
    """What a context says of itself, and all of one entry."""
    ctx.recall("result")
    return f"{ctx.pressure} {ctx.page_in('step_0002').text} {ctx.history.restore(2)}"


@all_cases("number", [*FULL, errno.EROFS])
@all_cases("given", [{"goal": "another"}, {"window": 9_000}, {"model": "gpt-4o"}])
def test_what_an_opening_cannot_write(
    tmp_path: Path, number: int, given: dict[str, object]
) -> None:
    """The workspace opens as it was and says so; all of it can be read."""
    with plain(tmp_path, window=16_000) as ctx:
        lived(ctx)
        said, window = read(ctx), ctx.window
    store = Taken(tmp_path, durable=False)
    store.fails_with = number
    with (
        pytest.warns(loom.LoomWarning, match="opens as it was"),
        loom.open(store, **given) as ctx,
    ):
        assert ctx.window == window
        assert read(ctx) == said
        with pytest.raises(OSError, match=os.strerror(number)):
            ctx.user("more")
        store.fails_with = 0
        ctx.user("more")
    with plain(tmp_path) as ctx:
        assert "more" in str(ctx.turn().request())


def test_a_new_workspace_is_not_opened(tmp_path: Path) -> None:
    """Nothing of it would last."""
    store = Taken(tmp_path, durable=False)
    store.fails_with = errno.ENOSPC
    with pytest.raises(OSError, match="No space"):
        loom.open(store, goal="g")


@all_cases("number", FULL)
@all_cases("checkpoint", [True, False])
def test_pages_go_from_a_full_disk(tmp_path: Path, number: int, checkpoint: bool) -> None:
    """What is derived, or one of the pages themselves, makes room for the record."""
    store = Taken(tmp_path, durable=False)
    with loom.open(store, window=16_000) as ctx:
        lived(ctx)
        if not checkpoint:
            for name in store.names("checkpoints/"):
                store.delete(name)
        store.fails_with = number
        found = ctx.history.gc(NOW, apply=True)
        assert found.gone
    with loom.open(tmp_path) as ctx:
        assert not {page.name for page in found.gone} & set(store.names("outputs/"))
        with pytest.raises(loom.errors.Expired):
            ctx.page_in(found.gone[0].name)
    assert main(["check", str(tmp_path)]) == 0


def test_what_could_not_go_stays(tmp_path: Path) -> None:
    """A disk that is only read refuses; every page is there afterwards."""
    store = Taken(tmp_path, durable=False)
    with loom.open(store, window=16_000) as ctx:
        lived(ctx)
        names = store.names("outputs/")
        store.fails_with = errno.EROFS
        with pytest.raises(OSError, match="Read-only"):
            ctx.history.gc(NOW, apply=True)
        assert store.names("outputs/") == names
