"""What an agent asks for that misses something, and whether the answer has it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom_bench.recorded.paged import calls
from loom_bench.strategies.by_loom import would_answer

ROWS = [f"row {number} of the table, called part_{number}\n" for number in range(1, 1_001)]
PAGE = "shell_0001"


@pytest.fixture(scope="module")
def ctx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[loom.Context]:
    """A context with a page of a thousand rows, of which an answer shows some two hundred."""
    folder: Path = tmp_path_factory.mktemp("asking") / "w"
    with loom.open(folder, window=5_400, reply=1_000, durable=False) as made:
        made.reply(loom.Reply((loom.ToolCall("c", "Bash", "{}"),)))
        made.result("c", "".join(ROWS))
        made.turn()
        yield made


def test_nothing_is_committed(ctx: loom.Context) -> None:
    """The answer is the one the call would get, and asking leaves no trace."""
    window, commits = ctx.window, ctx._engine.workspace.commits
    asked = would_answer(ctx, "page_in", {"ref": PAGE, "lines": "2-3"})
    assert asked == f"[outputs/{PAGE}.log lines 2–3 of 1000]\n{ROWS[1]}{ROWS[2]}"
    assert (ctx.window, ctx._engine.workspace.commits) == (window, commits)
    call = loom.ToolCall("p", "page_in", json.dumps({"ref": PAGE, "lines": "2-3"}))

    ctx.reply(loom.Reply((call,)))
    assert ctx.history.restore(2).results["p"] == asked


def test_calls(ctx: loom.Context) -> None:
    """Terms that were said are searched for, lines left out are asked for, else the whole."""
    [searched] = calls(ctx, PAGE, ["part_500", "a.b"], f"[lines 3–9 → {PAGE}]")
    assert searched == {"ref": PAGE, "grep": r"part_500|a\.b"}
    [left] = calls(ctx, PAGE, [], f"[lines 3–9 xm01 → {PAGE}]")
    assert left == {"ref": PAGE, "lines": "3-9"}
    shown, more = calls(ctx, PAGE, [], f"[paged in xm01: lines 3–9 of {PAGE} (app/x.go)]")
    assert shown == {"ref": PAGE}
    assert more["ref"] == PAGE
    first, last = map(int, more["lines"].split("-"))
    assert 1 < first < last < 1_000
