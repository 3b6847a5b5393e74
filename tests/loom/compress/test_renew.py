"""Renewal: a fresh window, C_working in a snapshot."""

from pathlib import Path

import pytest

from loom.compress.newest_entries import fit_entries
from loom_partitions.edits import Lowered, Shortened
from loom_partitions.message import Step
from tests.kit.opened import Open, plain
from tests.kit.scene import scene
from tests.kit.step import step

OUTPUT = "an ordinary line of output\n"


def test_a_stale_notice_does_not_outlive_its_successor(tmp_path: Path) -> None:
    """Instructions changed and changed back: after a cut the last ones told are the stored ones."""
    with plain(tmp_path / "s", window=16_000) as ctx:
        ctx.system("RULE version A")
        ctx.user("start")
        ctx.turn()
        ctx.system("RULE version B")
        for _ in range(4):
            step(ctx, OUTPUT * 160)
            ctx.turn()
        ctx.system("RULE version A")
        while not ctx.window.sent.cuts:
            step(ctx, OUTPUT * 160)
            turn = ctx.turn()
        sent = str(turn.request()["messages"])
        assert sent[sent.rfind("RULE version") :].startswith("RULE version A")


@pytest.mark.parametrize(("lines", "room"), [(400, 1_500), (400, 300), (200_000, 1_500)])
def test_a_text_of_any_size_keeps_what_has_room(opened: Open, lines: int, room: int) -> None:
    """An entry comes down to nearly the room it has, however long its text is."""
    ctx = opened()
    step(ctx, "".join(f"{number} {OUTPUT}" for number in range(lines)))
    seen = scene(ctx)
    steps = [entry for entry in seen.entries if isinstance(entry, Step)]
    edits, tokens = fit_entries(seen, steps[-1:], room)
    assert all(isinstance(edit, Shortened) for edit in edits)
    assert 0.8 * room < tokens <= room


def test_without_room_for_its_ends_an_entry_is_a_line(opened: Open) -> None:
    """Where no text of it has room the whole step stands as one line."""
    ctx = opened()
    step(ctx, OUTPUT * 400)
    (edit,), tokens = fit_entries(scene(ctx), scene(ctx).entries[-1:], 60)
    assert isinstance(edit, Lowered) and edit.tokens == tokens <= 60
