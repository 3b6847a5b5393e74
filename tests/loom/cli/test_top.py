import shutil
from pathlib import Path

import pytest
from rich.cells import cell_len

import loom
from loom.cli.top import Frame, WorkspaceWatch, frame_lines
from loom.replay.feed import replay
from loom_bench.sessions.generate import session
from tests.kit.cases import all_cases


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with many cuts, renewals, events, risks and a plan. Read it only."""
    folder = tmp_path_factory.mktemp("busy") / "w"
    with loom.open(
        folder, goal="Find the leak.", model="gpt-4o", window=6_000, durable=False
    ) as ctx:
        ctx.events.signal("low-1", "a wish", urgency="low")
        ctx.events.signal("ci-1", "the build broke", kind="ci", urgency="critical")
        ctx.events.signal("late-1", "it is late", urgency="high")
        ctx.events.acknowledge("late-1", "defer")
        ctx.working.plan([("look", "done"), ("fix", "doing"), "test"])
        for _ in replay(ctx, session(3, 40)):
            pass
    return folder


def step(ctx: loom.Context, text: str = "done") -> None:
    """One turn and a reply without calls."""
    ctx.user("Go on.")
    ctx.turn()
    ctx.reply(loom.Reply((loom.Speech(text),)))


def test_a_watch_sees_what_is_appended(tmp_path: Path) -> None:
    """Step by step the frames are those of a fresh reading."""
    with loom.open(tmp_path / "w", window=6_000, durable=False) as ctx:
        watch = WorkspaceWatch(tmp_path / "w")
        for at, _ in enumerate(replay(ctx, session(8, 30))):
            if at % 5 == 0:
                assert watch.look() == WorkspaceWatch(tmp_path / "w").look()
        found = watch.look()
    assert found["pressure"].generation == ctx.window.sent.generation > 1  # segments were sealed
    assert found["pressure"].tokens == ctx.window.tokens


def test_a_replaced_journal_is_read_anew(tmp_path: Path) -> None:
    """Gone: the last frame stays, with a note. Another in its place: its own numbers alone."""
    folder = tmp_path / "w"
    with loom.open(folder, goal="First.", durable=False) as ctx:
        step(ctx)
    watch = WorkspaceWatch(folder)
    before = watch.look()
    assert (before["goal"], before["note"]) == ("First.", "")
    shutil.rmtree(folder)
    gone = watch.look()
    assert "gone" in gone["note"] and gone == before | {"note": gone["note"]}
    with loom.open(folder, goal="Second.", durable=False):
        pass
    after = watch.look()
    figures = [after[name] for name in ("goal", "turns", "steps", "sent")]
    assert figures == ["Second.", 0, 0, 0]
    assert "replaced" in after["note"] and after["commits"] < before["commits"]


# What is drawn


@pytest.fixture(scope="module")
def full(busy: Path) -> Frame:
    """A frame with something in every section."""
    return WorkspaceWatch(busy).look()


@all_cases("width", [1, 40, 80])
@all_cases("height", [None, 0, 8, 60])
def test_a_frame_fits_any_terminal(full: Frame, width: int, height: int | None) -> None:
    """No line is wider than the terminal and there are no more of them than it holds."""
    lines = frame_lines(full, width, height)
    assert all(cell_len(text.plain) <= width for text in lines)
    assert height is None or len(lines) <= height
