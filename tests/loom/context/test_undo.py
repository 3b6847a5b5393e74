"""Going back to an earlier request: the window is the one of then, and nothing is lost."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom.cli.check import _check_contents
from tests.kit.journal import files, lawful
from tests.kit.opened import Open, opened_with, plain, private_copy
from tests.kit.step import call, calls, step

opened = opened_with(window=8_192)


def messages(turn: loom.Turn) -> list[object]:
    """The messages of a request, as OpenAI has them."""
    return list(turn.request("openai")["messages"])


def lived(ctx: loom.Context, steps: int, *, renew: int = 0) -> dict[int, list[object]]:
    """Take steps, with a renewal after every so many; the requests that were made, by number."""
    made = {}
    for number in range(steps):
        turn = ctx.turn()
        made[turn.number] = messages(turn)
        step(ctx, 20 + number % 30, tool="Edit", args={"path": f"part_{number % 7}.py"})
        if renew and number % renew == renew - 1:
            ctx.renew()
    turn = ctx.turn()
    made[turn.number] = messages(turn)
    return made


def test_nothing_followed(opened: Open) -> None:
    """Going back to the last request, or to 0 before any entry, is a no-op: nothing is recorded."""
    ctx = opened()
    before = ctx._engine.workspace.commits
    ctx.history.undo(to=0)
    assert ctx._engine.workspace.commits == before
    ctx.user("Go on.")
    turn = ctx.turn()
    before = ctx._engine.workspace.commits
    ctx.history.undo(to=turn.number)
    assert ctx._engine.workspace.commits == before
    assert ctx.turn().request() == turn.request()


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, list[object]]]:
    """A workspace that was renewed ten times, and the requests that were made in it, by number."""
    folder = tmp_path_factory.mktemp("long") / "w"
    with plain(folder, window=8_192) as ctx:
        ctx.user("Port it.")
        return folder, lived(ctx, 60, renew=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
@given(to=st.integers(1, 60), again=st.integers(1, 60))
def test_the_request_of_then(
    long: tuple[Path, dict[int, list[object]]],
    tmp_path_factory: pytest.TempPathFactory,
    to: int,
    again: int,
) -> None:
    """Across ten renewals the next request begins with every byte of the one gone back to; behind
    it stands what was undone, and a line of the dashboard where that changed. So it is a second
    time, and after reopening; all laws hold."""
    folder = private_copy(long[0], tmp_path_factory.mktemp("undo") / "w")
    with plain(folder) as ctx:
        for back in (to, again):
            ctx.history.undo(to=back)
            now, then = messages(ctx.turn()), long[1][back]
            assert now[: len(then)] == then
            assert "the session goes on from there" in str(now[len(then)])
            assert len(now) <= len(then) + 2
            assert lawful(ctx) == []
        request = ctx.turn().request()
    with plain(folder) as ctx:
        assert ctx.turn().request() == request
        step(ctx)
        ctx.turn()
    assert _check_contents(folder)[1] == []


def test_the_model_is_told_what_stays_done(opened: Open) -> None:
    """A notice names files, commands and agents of what was undone; names go on counting."""
    ctx = opened()
    ctx.user("Port it.")
    first = ctx.turn()
    step(ctx, "ok", tool="Edit", args={"path": "src/a.py", "old_string": "a", "new_string": "b"})
    last = step(ctx, "3 passed", args='{"command":"pytest -q"}')
    ctx.user("Now the rest.")
    ctx.agents.spawn("Read.", name="reader", durable=False).close()
    ctx.history.undo(to=first.number)
    told = str(messages(ctx.turn()))
    assert "2 steps and 1 message of the user after request 1" in told
    assert "changed `src/a.py`; ran `pytest -q` (passes); began the agents reader" in told
    assert ctx.window.history.next_id > last
    assert ctx.history.restore(last).name == f"step_{last:04d}"


def test_calls_that_wait_are_undone(opened: Open) -> None:
    """A result that comes for one is refused by name; the loop goes on without it."""
    ctx = opened()
    ctx.user("Go on.")
    turn = ctx.turn()
    ctx.reply(calls("c1", "c2"))
    ctx.result("c1", "ok")
    ctx.history.undo(to=turn.number)
    assert not ctx.calls and not ctx.window.history.open_calls
    with pytest.raises(loom.BadInput, match="'c2' was undone"):
        ctx.result("c2", "ok")
    ctx.result(call(ctx), "ok")
    ctx.turn()
    assert lawful(ctx) == []


def test_a_purge_takes_what_was_undone_too(opened: Open, tmp_path: Path) -> None:
    """A value leaves the window that was gone back to, in the record that holds it as well."""
    value = "tk-9f3Kd82mQzX1vB7n"
    ctx = opened(redact=())
    ctx.user(f"The key is {value}.")
    turn = ctx.turn()
    step(ctx, f"{value} again")
    ctx.history.undo(to=turn.number)
    ctx.turn()
    ctx.close()
    assert loom.purge(tmp_path / "w", [value], durable=False).places
    assert not [name for name, data in files(tmp_path / "w").items() if value.encode() in data]
    assert _check_contents(tmp_path / "w")[1] == []
    with loom.open(tmp_path / "w", redact=()) as ctx:
        step(ctx)
        ctx.turn()
        assert lawful(ctx) == []
