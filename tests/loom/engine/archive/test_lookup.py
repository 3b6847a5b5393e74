"""What a model gets for a name: around what it asks for, bounded, and how to go on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.engine.archive.lookup import page_in
from loom.engine.archive.workspace import Workspace

MORE = re.compile(r"\[more: page_in (\S+) lines=(\d+-\d+)\]\n")
ROWS = [f"row {number} of the table\n" for number in range(1, 1_001)]
TABLE = "".join(ROWS)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with pages of a table, a JSON list and one long line."""
    folder = tmp_path_factory.mktemp("lookup") / "w"
    with loom.open(folder, window=64_000, durable=False) as ctx:
        for number, text in enumerate((TABLE, f"[{'1,' * 4_000}1]", "x" * 9_000), 1):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Bash", "{}"),)))
            ctx.result(f"c{number}", text)
        yield ctx._engine.workspace


def test_lines_go_on(workspace: Workspace) -> None:
    """A range that is too large is cut by the numbers of the page."""
    text, _ = page_in(workspace, "shell_0001", 2_000, lines="501-900")
    [(_, lines)] = MORE.findall(text)
    first, last = map(int, lines.split("-"))
    assert 501 < first < last < 900
    assert f"{ROWS[first - 2]}[more" in text
    assert f"]\n{ROWS[last]}" in text


def test_hits_apart(workspace: Workspace) -> None:
    """Each run of lines has a heading; those that meet are one; the page's ends bound them."""
    text, _ = page_in(workspace, "shell_0001", 12_000, grep="row (3|90|990) ")
    assert re.findall(r"^\[lines (.*)\]$", text, re.MULTILINE) == ["1–170", "950–1000"]


def test_many_hits(workspace: Workspace) -> None:
    """Where they have no room with lines around, they stand as a search shows them, bounded."""
    text, _ = page_in(workspace, "shell_0001", 1_000, grep="row")
    assert len(text) <= 1_000
    assert "the first 50 of 1000 matching lines are shown" in text
    assert "1:row 1 of the table" in text


def test_dense_text_is_cut_once(tmp_path: Path) -> None:
    """An answer of more tokens than its characters promise still says which lines to ask for."""
    dense = "".join(f"{number}\t§ɸ{number * 7919 % 10_007}λ½;\n" for number in range(1, 3_000))
    with loom.open(tmp_path, window=20_000, durable=False) as ctx:
        ctx.reply(loom.Reply((loom.ToolCall("c", "Bash", "{}"),)))
        ctx.result("c", dense)
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("p", "page_in", '{"ref":"shell_0001"}'),)))
        shown = ctx.history.restore(2).results["p"]
    assert len(MORE.findall(shown)) == 1
    assert "bytes rest in" not in shown
