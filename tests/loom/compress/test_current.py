"""Nothing superseded stands after a cut, and a cut made again changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

import loom
from loom.compress.auto import auto
from loom.compress.duplicates import micro
from loom.compress.snip import snip
from loom_partitions.edits import carried_out
from loom_partitions.message import Entry, Step, UserTurn
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import act, step

LINES = [f"value_{n} = compute({n}, of_the_file)\n" for n in range(1, 41)]
TEXT = "".join(LINES)


def after(ctx: loom.Context, share: float = 0.9) -> list[Entry]:
    """The entries as a cut by so much leaves them."""
    seen = scene(ctx, int(ctx.window.tokens.total * share))
    return [e for e in carried_out(ctx.window.history.stream, auto(seen), 0) if _entry(e)]  # type: ignore[misc]


def _entry(item: Any) -> bool:
    return isinstance(item, Step | UserTurn)


def standing(entries: list[Entry]) -> str:
    """What steps and messages say, arguments as they are decoded."""
    said: list[str] = []
    for entry in entries:
        if isinstance(entry, Step):
            said += [str(json.loads(call.arguments or "{}")) for call in entry.calls]
            said += [outcome.text.body or "" for outcome in entry.outcomes]
        elif isinstance(entry, UserTurn):
            said.append(entry.text.body or "")
    return "\n".join(said).replace("\\n", "\n")


def recent(ctx: loom.Context) -> None:
    """Steps that are newer than what is looked at."""
    for n in range(4):
        step(ctx, f"done {n}")


@pytest.mark.parametrize("strategy", [auto, micro, snip])
def test_no_level_leaves_what_is_superseded(opened: Open, strategy: Any) -> None:
    """What a later edit changed stands after no cut, be it in a step that is not lowered."""
    ctx = opened(window=64_000)
    put = "".join(f"    other_{n} = made_anew({n})\n" for n in range(60))
    act(ctx, "Write", {"path": "a.py", "content": put}, "ok")
    act(ctx, "Write", {"path": "a.py", "content": "x = 1\n"}, "ok")
    step(ctx, "".join(f"a line {n} of a long output\n" for n in range(200)))
    recent(ctx)
    seen = scene(ctx, ctx.window.tokens.total - 300)
    items = carried_out(ctx.window.history.stream, tuple(strategy(seen)), 0)
    assert "made_anew" not in standing([e for e in items if _entry(e)])  # type: ignore[misc]


def test_a_cut_made_again_changes_nothing(opened: Open) -> None:
    """What a cut leaves of overlapping readings it leaves as it is the next time."""
    ctx = opened(window=16_000)
    for start in range(1, 90, 10):
        body = "".join(f"line_{n} = compute({n}, {n})\n" for n in range(start, start + 60))
        act(ctx, "Read", {"path": "a.py", "offset": start, "limit": 60}, body)
    recent(ctx)
    ctx.renew()
    first = list(ctx.window.history.stream.entries)
    assert auto(scene(ctx, ctx.window.tokens.total)) == ()
    assert list(ctx.window.history.stream.entries) == first
