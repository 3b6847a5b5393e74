"""Pins: what the host wants to stay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.engine.archive.restore import UnknownEntry
from loom_partitions.message import Detail, Step, UserTurn
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step

KEPT = "".join(f"kept_{n} is what matters\n" for n in range(30))


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A small window with a first message and one step of note."""
    with plain(tmp_path / "w", window=8_000) as made:
        made.user("start")
        step(made, KEPT)
        yield made


def standing(ctx: loom.Context, id: int) -> Step | UserTurn | None:
    """The entry as it stands, None when it left."""
    found = (
        e
        for e in ctx.window.history.stream.entries
        if isinstance(e, Step | UserTurn) and e.id == id
    )
    return next(found, None)


def sent(ctx: loom.Context) -> str:
    """The messages of the next request."""
    return json.dumps(ctx.turn().request()["messages"], ensure_ascii=False)


def cuts(ctx: loom.Context, more: int = 3) -> None:
    """Steps until the window was cut so many times more."""
    wanted = ctx.window.sent.cuts + more
    while ctx.window.sent.cuts < wanted:
        step(ctx, 60)
        ctx.turn()


def test_without_a_pin_it_leaves(ctx: loom.Context) -> None:
    """What is not pinned is lowered or leaves after some cuts."""
    cuts(ctx)
    entry = standing(ctx, 2)
    assert entry is None or entry.detail > Detail.FULL


@pytest.mark.parametrize("what", [2, "step_0002", "history/step_0002.json"])
def test_a_pinned_entry_stays(ctx: loom.Context, what: int | str) -> None:
    """By id or by name, a pinned step keeps every byte through cuts; pinning again is nothing."""
    before = standing(ctx, 2)
    ctx.pin(what)
    commits = ctx._engine.workspace.commits
    ctx.pin(what)
    assert ctx._engine.workspace.commits == commits
    cuts(ctx, 5)
    assert standing(ctx, 2) == before


@pytest.mark.parametrize("history", [2_000, None, 600])
def test_a_pinned_entry_outlives_renewals(ctx: loom.Context, history: int | None) -> None:
    """A pinned step and a pinned message stand as they were after ten renewals."""
    before = standing(ctx, 1), standing(ctx, 2)
    ctx.pin(1)
    ctx.pin(2)
    for _ in range(10):
        for _ in range(4):
            step(ctx, 60)
        ctx.renew(history)
        assert (standing(ctx, 1), standing(ctx, 2)) == before
        ctx.turn()


def test_a_large_last_step_leaves_pins_alone(ctx: loom.Context) -> None:
    """A renewal that has room for little beside the last step keeps the pinned one too."""
    before = standing(ctx, 2)
    ctx.pin(2)
    for _ in range(8):
        step(ctx, "a line of ordinary output\n" * 120)
        ctx.renew(1_500)
        assert standing(ctx, 2) == before


def test_unpinned_it_may_leave(ctx: loom.Context) -> None:
    """An entry that is let go of leaves like any other; letting go twice is nothing."""
    ctx.pin(2)
    cuts(ctx, 2)
    ctx.unpin("step_0002")
    commits = ctx._engine.workspace.commits
    ctx.unpin(2)
    assert ctx._engine.workspace.commits == commits
    cuts(ctx, 3)
    entry = standing(ctx, 2)
    assert entry is None or entry.detail > Detail.FULL


LINES = ("Never touch docs/.", '预算是 4,200 美元 — "exactly" \\n', "- a line with a bullet")


def test_pinned_lines_stand_word_for_word(ctx: loom.Context) -> None:
    """Every pinned line is in the request after each of ten renewals, once, in order."""
    for line in (*LINES, LINES[0]):
        ctx.pin(line)
    for _ in range(10):
        for _ in range(3):
            step(ctx, 60)
        ctx.renew()
        shown = sent(ctx)
        places = [shown.find(json.dumps(line, ensure_ascii=False)[1:-1]) for line in LINES]
        assert places == sorted(places)
        assert -1 not in places
        assert shown.count(LINES[0]) == 1


def test_a_line_let_go_of_is_gone(ctx: loom.Context) -> None:
    """An unpinned line leaves at the next renewal, the others stay; none at all is lawful too."""
    ctx.unpin(LINES[0])
    for line in LINES:
        ctx.pin(line)
    ctx.unpin(LINES[0])
    ctx.renew()
    assert (LINES[0] in sent(ctx), LINES[2] in sent(ctx)) == (False, True)
    for line in LINES:
        ctx.unpin(line)
    ctx.renew()
    assert "美元" not in sent(ctx)
    assert ctx.window.memory.get("pinned") is None


@all_cases("what", [0, -1, 99, "step_0099", "user_0000"])
def test_no_such_entry(ctx: loom.Context, what: int | str) -> None:
    """Pinning what is not in the window raises, and nothing is pinned."""
    with pytest.raises(UnknownEntry):
        ctx.pin(what)
    assert ctx.window.history.pins == ()


def test_an_entry_that_left_cannot_be_pinned(ctx: loom.Context) -> None:
    """What was folded, or is a line, is not there to be pinned."""
    ctx.renew(200)
    step(ctx, 60)
    ctx.renew(200)
    left = standing(ctx, 2)
    assert left is None or left.detail >= Detail.REDUCED
    with pytest.raises(UnknownEntry):
        ctx.pin(2)


def test_too_much_is_refused(ctx: loom.Context) -> None:
    """Entries beyond a quarter of the window, or lines beyond what fits, raise OverCapacity."""
    with pytest.raises(loom.OverCapacity) as raised:
        for _ in range(20):
            ctx.pin(step(ctx, 60))
    held = {id: standing(ctx, id) for id, _ in ctx.window.history.pins}
    most = ctx.window.limits.capacity // 4
    assert raised.value.tokens > raised.value.capacity == most
    whole = ctx.window.limits.capacity
    share = f"{100 * raised.value.tokens / whole:.1f} %"
    assert (
        f"a quarter of what a request holds (window less reply), not {share}" in f"{raised.value}"
    )
    for id, entry in held.items():
        assert entry is not None
        assert f"step_{id:04d} ({100 * entry.tokens / whole:.1f} %)" in str(raised.value)
    kept = len(ctx.window.history.pins)
    assert kept >= 1
    with pytest.raises(loom.OverCapacity):
        for number in range(100):
            ctx.pin(f"{number}: " + "word " * 150)
    assert len(ctx.window.history.pins) == kept
    ctx.turn()


@all_cases("what", [4, "step_0004"])
def test_what_waits_for_results_is_refused_at_once(tmp_path: Path, what: int | str) -> None:
    """Whether it fits is not known before they are in; then it can be pinned, or is too large. So
    it is for each result of a step with several calls, and when the workspace is opened again."""
    with plain(tmp_path / f"{what}", window=8_000) as ctx:
        ctx.user("start")
        step(ctx, KEPT)
        ctx.user("more")
        calls = tuple(loom.ToolCall(f"c{n}", "Read", '{"file_path": "/p/a"}') for n in (1, 2))
        ctx.reply(loom.Reply(calls))
        for call in calls:
            with pytest.raises(loom.LoomError, match=f"step_0004 cannot be pinned yet.*{call.id}"):
                ctx.pin(what)
            ctx.result(call.id, "short")
        ctx.pin(what)
        assert [entry for entry, _ in ctx.window.history.pins] == [4]
        ctx.turn()


def test_pins_outlive_the_process(tmp_path: Path) -> None:
    """A session that is opened again keeps its pins."""
    with plain(tmp_path / "p", window=8_000) as ctx:
        before = standing(ctx, step(ctx, KEPT))
        ctx.pin(1)
        ctx.pin(LINES[1])
    with loom.open(tmp_path / "p", durable=False) as ctx:
        cuts(ctx, 3)
        ctx.renew(1_000)
        assert standing(ctx, 1) == before
        assert json.dumps(LINES[1], ensure_ascii=False)[1:-1] in sent(ctx)


@pytest.mark.parametrize("line", ["", " \n", "Never push. " * 200])
def test_a_line_that_would_not_stand_whole_is_refused(ctx: loom.Context, line: str) -> None:
    """An empty line, or one so long that its end would be cut off, is an error, and no pin."""
    before = ctx.window
    with pytest.raises(loom.LoomError, match=r"characters cannot be pinned|the text is empty"):
        ctx.pin(line)
    assert ctx.window == before
