"""Entries name no page that was retired."""

from __future__ import annotations

from loom.compress.digest.retired_refs import without_retired
from loom.compress.entry_line import line
from loom_partitions.message import Detail, Step
from tests.kit.opened import Open
from tests.kit.step import step


def test_without_retired_pages_entries_are_the_same(opened: Open) -> None:
    """Nothing is changed, nor where the retired pages are not named."""
    ctx = opened(window=20_000)
    step(ctx, "line\n" * 400, tool="Read", args='{"path": "a.py"}')
    entries = tuple(ctx.window.history.stream.entries)
    assert without_retired(entries, ()) == entries
    assert without_retired(entries, {"outputs/read_0009.txt"}) == entries


def test_a_line_names_no_page_that_was_retired(opened: Open) -> None:
    """A step that is lowered later is told without it; what it shows now is the same."""
    ctx = opened(window=20_000)
    step(ctx, "line\n" * 400, tool="Read", args='{"path": "a.py"}')
    entries = tuple(ctx.window.history.stream.entries)
    page = "outputs/read_0001.txt"
    [entry] = (one for one in without_retired(entries, {page}) if isinstance(one, Step))
    [before] = (one for one in entries if isinstance(one, Step))
    assert page in line(before, Detail.REDUCED, ctx._engine.workspace.read)
    assert page not in line(entry, Detail.REDUCED, ctx._engine.workspace.read)
    assert entry.outcomes[0].text == before.outcomes[0].text
