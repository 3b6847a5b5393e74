"""What a plain list would take."""

from __future__ import annotations

from pathlib import Path

import loom
from loom.engine.archive.workspace import Workspace
from loom.providers.counts import counter_for
from tests.kit.opened import plain
from tests.loom.report.conftest import data_of


def test_what_came_in_short_is_counted_whole(folder: Path) -> None:
    """A result that stands as a preview is counted as it was given."""
    text = "".join(f"row {at}: {at * 7}\n" for at in range(4_000))
    with plain(folder, window=8_000) as ctx:
        ctx.user("Go.")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("c", "read", '{"path": "a.txt"}'),)))
        ctx.result("c", text)
        ctx.turn()
    [agent] = data_of(folder).agents
    workspace = Workspace.at_path(folder, write=False)
    count = counter_for(encoding=workspace.window.config.encoding)
    assert agent.turns[-1].plain - agent.turns[0].plain >= count(text)
    assert agent.plain_over == 2


def test_what_was_undone_is_not_in_it(folder: Path) -> None:
    """Going back takes out what followed."""
    with plain(folder, window=64_000) as ctx:
        ctx.user("Go.")
        ctx.turn()
        for number in range(3):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "read", '{"path": "a.py"}'),)))
            ctx.result(f"c{number}", "text " * 50)
            ctx.turn()
        ctx.history.undo(to=2)
        ctx.turn()
    [agent] = data_of(folder).agents
    assert agent.turns[-1].plain == agent.turns[1].plain < agent.turns[2].plain
