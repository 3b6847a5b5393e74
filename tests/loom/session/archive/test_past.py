"""Going back in a session leads to the very window a request was made of."""

from pathlib import Path

import pytest

import loom
from loom.session.archive.restore import window_at_request
from loom.session.archive.workspace import Workspace
from loom_partitions.records import Turned
from loom_partitions.window import Window
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
    """A workspace that went back now and then, and the windows of its requests."""
    folder, made = tmp_path_factory.mktemp("long") / "w", {}
    with plain(folder, window=8_192) as ctx:
        ctx.user("Port it.")
        for number in range(STEPS):
            turn = ctx.turn()
            made[turn.number] = ctx.window
            step(ctx, number % 40)
            if number % 37 == 36:
                ctx.history.undo(to=number // 2)
    return LongLife(folder, made)


def test_the_same_windows(long: LongLife) -> None:
    """Each is the one the request was made of."""
    workspace = Workspace.at_path(long.folder, write=False)
    for number, window in long.windows.items():
        assert window_at_request(workspace, number) == window


def test_recent_requests_fold_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going back by a request or two reads no line of the journal but the request's own."""
    with plain(tmp_path / "w", window=8_192) as ctx:
        ctx.user("Port it.")
        for number in range(20):
            last = ctx.turn().number
            step(ctx, number)
        workspace, read = ctx._engine.workspace, list[int]()
        scan = workspace.journal.scan
        monkeypatch.setattr(
            workspace.journal,
            "scan",
            lambda after=0: (read.append(one.number) or one for one in scan(after)),
        )
        for back in range(4):
            window_at_request(workspace, last - back)
        assert len(read) < 12


def test_a_purge_forgets_windows_an_earlier_version_kept(long: LongLife, tmp_path: Path) -> None:
    """They hold what was said; and the purged journal no longer says the sha256 of a request."""
    folder = private_copy(long.folder, tmp_path / "w")
    kept = folder / "checkpoints" / "at_000000040"
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(b"line 7 of the output")
    loom.purge(folder, ["line 7 of the output"], durable=False)
    assert list((folder / "checkpoints").glob("*")) == []
    with plain(folder) as ctx:
        assert {one.sha256 for one in records(ctx) if isinstance(one, Turned)} == {""}
        assert window_at_request(ctx._engine.workspace, 60).tokens.total > 0
