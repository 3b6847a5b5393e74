"""What is misspelt is refused with what was meant; and what a call runs through."""

import asyncio
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import loom
import loom.aio
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with
from tests.kit.step import calls

opened = opened_with(window=20_000)


@pytest.mark.parametrize(
    ("value", "what"),
    [(object(), "object"), ([1, {"a": object()}], "object"), (lambda: None, "function")],
)
def test_what_json_cannot_hold_is_no_result(opened: Open, value: object, what: str) -> None:
    """A value that writes no more than its place in memory; the call still waits."""
    ctx = opened()
    ctx.turn()
    ctx.reply(calls("c1"))
    with pytest.raises(loom.BadInput, match=f"nothing of type {what}"):
        ctx.result("c1", value)
    assert [call.id for call in ctx.calls] == ["c1"]
    ctx.result("c1", {"path": Path("a.py"), "part": Fraction(1, 3)})
    assert '"a.py"' in ctx.history.restore(1).results["c1"]


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        ({"line": "3"}, r"there is no line=: did you mean lines=; a part is lines, grep, pointer"),
        ({"xyz": "3"}, r"there is no xyz=; a part is lines, grep, pointer"),
        ({"lines": "1", "grep": "a"}, r"lines, grep: one of lines, grep, pointer at a time"),
    ],
)
def test_a_way_to_page_in(opened: Open, ways: dict[str, str], said: str) -> None:
    """A misspelt one is told apart from two at a time."""
    ctx = opened()
    ctx.user("Begin.")
    with pytest.raises(loom.BadInput, match=said):
        ctx.page_in("user_0001", **ways)


@all_cases(
    ("what", "said"),
    [
        ("", "pin: the text is empty"),
        (" \n", "pin: the text is empty"),
        ("step_0999", "no entry 'step_0999'"),
        (99, "no entry"),
        (-1, "no entry"),
        ("Step_0007", "did you mean step_0007?"),
        ("step-0007", "did you mean step_0007?"),
        ("USER-12", "did you mean user_0012?"),
    ],
)
def test_what_cannot_be_pinned(opened: Open, what: str, said: str) -> None:
    """What looks like the name of an entry is no line of text."""
    ctx = opened()
    ctx.user("Begin.")
    before = ctx._engine.workspace.commits
    with pytest.raises(loom.LoomError) as raised:
        ctx.pin(what)
    assert said in str(raised.value)
    assert ctx._engine.workspace.commits == before


def test_a_folder_of_other_files_is_refused(tmp_path: Path) -> None:
    """Nothing is written there: git would be told to ignore them all."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for held in ((), ("agents",), ("main.py",), ("a", "b", "c", "d")):
        for name in held:
            (tmp_path / name).write_text("")
        before = sorted(tmp_path.iterdir())
        with pytest.raises(loom.LoomError, match=r"holds other files .*open a folder of its own"):
            loom.open(tmp_path, durable=False)
        assert sorted(tmp_path.iterdir()) == before
    loom.open(tmp_path / ".loom", durable=False).close()


def test_an_async_context_says_what_to_do(tmp_path: Path) -> None:
    """Before it is open, of a stream of the other kind, and of a property that is not awaited."""

    async def run() -> None:
        ctx = loom.aio.open(tmp_path / "w", durable=False)
        for read in (lambda: ctx.calls, lambda: ctx.memory.sync):
            with pytest.raises(loom.Closed, match="async with"):
                read()
        async with ctx:
            with pytest.raises(loom.BadInput, match=r"asynchronous stream.*list"):
                async for _ in ctx.collect([{}]):
                    pass
            with pytest.raises(AttributeError, match=r"read by `sync`: sync\.dashboard"):
                ctx.working.dashboard  # noqa: B018
            assert await ctx.user("Begin.", key="m") == "user_0001"

    asyncio.run(run())
