"""A message given with a key stands once, wherever the loop that gives it was killed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.opened import Open, opened_with, plain

opened = opened_with(window=20_000)


def model(messages: list[dict[str, Any]], **rest: Any) -> dict[str, Any]:
    """One call for each message of the user's, then an answer."""
    asked = sum("Please" in str(one["content"]) for one in messages if one["role"] == "user")
    seen = sum(one["role"] == "tool" for one in messages)
    if seen >= asked:
        return {"role": "assistant", "content": f"answer {seen}"}
    call = {"id": f"c{seen}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def looped(folder: Path, line: Callable[[], object]) -> tuple[list[str], str, int]:
    """The loop of docs/embed.md, with `line` called between its lines."""
    names = []
    with plain(folder, window=20_000, tools=[{"name": "look"}]) as ctx:
        for number in (1, 2):
            line()
            names.append(ctx.user(f"Please look {number}.", key=f"message {number}"))
            line()
            while not ctx.done:
                for call in ctx.calls:
                    line()
                    ctx.result(call, "seen")
                    line()
                turn = ctx.turn()
                line()
                ctx.reply(model(**turn.request("openai")))
                line()
        return names, ctx.text, ctx.window.history.next_id - 1


def test_a_message_stands_once_wherever_the_loop_was_killed(tmp_path: Path) -> None:
    """Begun again from what the disk held at each line, it ends with the same entries and the same
    answer."""
    whole, left = tmp_path / "whole", tmp_path / "left"

    def line() -> None:
        copies = len(list(left.iterdir())) if left.exists() else 0
        shutil.copytree(whole, left / f"{copies:02d}")

    assert looped(whole, line) == (["user_0001", "user_0004"], "answer 2", 6)
    killed = sorted(left.iterdir())
    assert len(killed) == 16
    for folder in killed:
        assert looped(folder, lambda: None) == (["user_0001", "user_0004"], "answer 2", 6)
        with plain(folder) as ctx:
            said = [ctx.history.restore(at).text for at in (1, 4)]
        assert said == ["Please look 1.", "Please look 2."]


def test_without_a_key_each_message_is_another(opened: Open) -> None:
    """The same words twice are two messages; each returns the name that pins it."""
    ctx = opened()
    assert [ctx.user("Yes."), ctx.user("Yes.")] == ["user_0001", "user_0002"]
    ctx.pin(ctx.user("Never push."))
    assert ctx.user(["One.", "Two."]) == "user_0004"


def test_a_known_key_is_a_no_op(opened: Open) -> None:
    """Whatever the content: nothing is committed, and the name of the first is returned."""
    ctx = opened()
    assert ctx.user("Begin.", key="m-1") == "user_0001"
    before = ctx._engine.workspace.commits
    assert ctx.user("Something else.", key="m-1") == "user_0001"
    assert ctx._engine.workspace.commits == before
    assert ctx.user("Go on.", key="m-2") == "user_0002"


def test_a_key_is_known_after_cuts_and_reopening(tmp_path: Path) -> None:
    """It is found whatever left the window, from a checkpoint too."""
    with plain(tmp_path, window=8_192) as ctx:
        ctx.user("Begin.", key="m-1")
        for _ in range(40):
            ctx.user("a line of many words\n" * 60)
            ctx.turn()
            ctx.reply({"role": "assistant", "content": "Yes."})
        ctx.renew()
    with plain(tmp_path) as ctx:
        assert ctx.user("Begin.", key="m-1") == "user_0001"


def test_a_message_that_was_undone_can_be_given_again(opened: Open) -> None:
    """The session does not stand on it any more."""
    ctx = opened()
    ctx.user("Begin.")
    ctx.turn()
    ctx.reply({"role": "assistant", "content": "Yes."})
    ctx.user("Delete it.", key="m-2")
    ctx.turn()
    ctx.history.undo(1)
    assert ctx.user("Delete it.", key="m-2") != "user_0003"


def test_a_key_that_is_too_long_is_refused(opened: Open) -> None:
    """With its length and the longest there may be; nothing is stored."""
    ctx = opened()
    with pytest.raises(loom.LoomError, match="a key of 201 characters; it has at most 200"):
        ctx.user("Begin.", key="k" * 201)
    with pytest.raises(loom.BadArgument, match="user: key= is a text"):
        ctx.user("Begin.", key=7)  # type: ignore[arg-type]
    assert ctx.window.history.next_id == 1
