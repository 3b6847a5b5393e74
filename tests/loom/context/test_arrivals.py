"""Results that come late or never, and what a person asks of a session from beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.context.changes import AT_ONCE, TOLD, do_asked_deeds
from loom.context.pins import ASKED, leave_asked_deed
from loom.providers.formats import FORMATS
from loom_bench.laws import broken
from tests.kit.opened import plain
from tests.kit.step import calls


def unlawful(turn: loom.Turn) -> list[str]:
    """What any provider would refuse of a request."""
    return [
        f"{format}: {what}"
        for format in FORMATS
        for what in broken(format, turn.request(format, model="m"))
    ]


@pytest.fixture
def ctx(folder: Path) -> Iterator[loom.Context]:
    """Three parallel calls, the middle one answered."""
    with plain(folder, window=8_000) as made:
        made.system("be careful")
        made.user("go on")
        made.turn()
        made.reply(calls("a", "b", "c"))
        made.result("b", "done well")
        yield made


def test_late_results_in_any_order(ctx: loom.Context) -> None:
    """Both late results land, last call first, and each only once."""
    ctx.abandon("asleep")
    ctx.result("c", "of c")
    ctx.result("a", "of a")
    assert [ctx.history.restore(id).text.split("\n")[-1] for id in (3, 4)] == ["of c", "of a"]
    assert unlawful(ctx.turn()) == []
    for id in "abc":
        with pytest.raises(loom.BadInput, match=f"'{id}'"):
            ctx.result(id, "again")
    with pytest.raises(loom.BadInput, match="'d'"):
        ctx.result("d", "never made")


def test_words_of_the_user_between_the_lives(ctx: loom.Context, folder: Path) -> None:
    """A message before the first turn of the next life comes after the results given up; what that
    life calls is waited for."""
    ctx.close()
    with plain(folder) as again:
        again.user("are you there?")
        turn = again.turn()
        assert unlawful(turn) == []
        text = str(turn.request("openai")["messages"])
        assert text.index("done well") < text.index("are you there?")
        again.reply(calls("d"))
        with pytest.raises(loom.OpenCalls):
            again.turn()


def worked(ctx: loom.Context, steps: int = 4) -> None:
    """A session that read some files."""
    for number in range(steps):
        ctx.user(f"read {number}")
        ctx.turn()
        call = loom.ToolCall(f"c{number}", "Read", f'{{"file_path": "/p/a{number}.py"}}')
        ctx.reply(loom.Reply((call,)))
        ctx.result(f"c{number}", f"row {number} of the file\n" * 200)


def test_a_pin_and_a_compaction_in_their_order(tmp_path: Path) -> None:
    """The pinned entry stands in the window that is begun then; nothing waits any more."""
    with loom.open(tmp_path / "w", window=20_000) as ctx:
        worked(ctx)
        leave_asked_deed(tmp_path / "w", "pin", "step_0002")
        leave_asked_deed(tmp_path / "w", "pin", "never delete the lock")
        leave_asked_deed(tmp_path / "w", "compact")
        assert ctx.window.sent.generation == 1
        turn = ctx.turn()
        assert ctx.window.sent.generation == 2
        assert "never delete the lock" in str(turn.request("openai")["messages"])
        assert 2 in [entry for entry, _ in ctx.window.history.pins]
        leave_asked_deed(tmp_path / "w", "unpin", "step_0002")
        ctx.turn()
        assert 2 not in [entry for entry, until in ctx.window.history.pins if until]
    assert [*(tmp_path / "w" / ASKED).iterdir()] == []


def test_sync_does_what_was_asked(tmp_path: Path) -> None:
    """A host that gives its list whole, as the proxy does, gets the fresh window too."""
    talk = [{"role": "user", "content": "hello"}]
    with loom.open(tmp_path / "w", window=20_000) as ctx:
        ctx.sync(talk)
        leave_asked_deed(tmp_path / "w", "compact")
        talk += [{"role": "assistant", "content": "hi"}, {"role": "user", "content": "go on"}]
        ctx.sync(talk)
        assert ctx.window.sent.generation == 2


def test_a_compaction_waits_while_calls_are_open(tmp_path: Path) -> None:
    """Until their results are there."""
    with loom.open(tmp_path / "w", window=20_000) as ctx:
        ctx.user("go")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("c", "Read", "{}"),)))
        leave_asked_deed(tmp_path / "w", "compact")
    with loom.open(tmp_path / "w") as ctx:
        ctx.turn()  # gives up what the process before left open
        assert ctx.window.sent.generation == 1
        ctx.reply(loom.Reply((loom.Speech("done"),)))
        ctx.user("on")
        ctx.turn()
        assert ctx.window.sent.generation == 2


def test_one_fresh_window_answers_all_that_ask_for_one(tmp_path: Path) -> None:
    """A file that is still there behind its deed, as an interrupt leaves it, does nothing again."""
    with loom.open(tmp_path / "w", window=20_000) as ctx:
        worked(ctx)
        kept = leave_asked_deed(tmp_path / "w", "compact")
        data = kept.read_bytes()
        do_asked_deeds(ctx._engine)
        kept.write_bytes(data)
        for _ in range(3):
            leave_asked_deed(tmp_path / "w", "compact")
        ctx.turn()
        assert ctx.window.sent.generation == 2 and not list(kept.parent.iterdir())
        leave_asked_deed(tmp_path / "w", "compact")
        ctx.turn()
        assert ctx.window.sent.generation == 3


def test_many_bad_files_are_a_few_events_and_bounded_work(tmp_path: Path) -> None:
    """A small window is not filled by what was refused; what was not asked stays as it is."""
    with loom.open(tmp_path / "w", window=2_500, durable=False) as ctx:
        ctx.user("go")
        place = tmp_path / "w" / ASKED
        (place / "1.json").mkdir(parents=True)
        (place / "notes.txt").write_text("mine")
        leave_asked_deed(tmp_path / "w", "pin", "step_0999")
        ctx.turn()
        for number in range(500):
            text = ("torn", '{"x":' + "[" * 5_000)[number % 2]
            (place / f"{number:05}.json").write_text(text)
        ctx.turn()
        assert len(list(place.glob("0*.json"))) == 500 - AT_ONCE
        for _ in range(9):
            ctx.reply(loom.Reply((loom.Speech("on"),)))
            ctx.user("go on")
            ctx.turn()
        assert len(ctx.window.working.events) == TOLD
        assert sorted(one.name for one in place.iterdir()) == ["1.json", "notes.txt"]
