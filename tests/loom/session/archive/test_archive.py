"""What left the window comes back: by entry, by page, by lines, bounded."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

import loom
from loom.session.archive.page_in_by_name import page_in
from loom.session.archive.restore import entries_as_arrived
from loom.session.archive.workspace import Workspace

LINES = "".join(f"row {number} of the table\n" for number in range(500))


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context with a user turn, a step with a long result and one with JSON."""
    with loom.open(tmp_path / "w", window=8_000, durable=False) as made:
        made.user("Where is the kraken?")
        for number, text in enumerate([LINES, json.encode({"a": [{"b": LINES}]}).decode()]):
            call = loom.ToolCall(f"c{number}", "Bash", '{"command":"cat table"}')
            made.reply(loom.Reply((loom.Speech("I look."), call)))
            made.result(call, text)
        yield made


def test_every_page_answers_to_its_short_name(ctx: loom.Context) -> None:
    """No page is taken for an entry: without folder or extension its name still means it."""
    ctx.user("the long words of the user\n" * 90)
    names = list(ctx._engine.workspace.pager.table)
    assert len(names) == 3
    for name in names:
        short = name.rpartition(".")[0]
        for ref in (name, short, short.rpartition("/")[2]):
            assert ctx.page_in(ref).text == ctx._engine.workspace.read(name)


def test_entries_page_in(ctx: loom.Context) -> None:
    """An entry's name brings back its text, or its reply with every result, line by line."""
    assert ctx.page_in("user_0001").text == "Where is the kraken?"
    text = ctx.page_in("step_0002").text
    assert LINES.rstrip("\n") in text and ctx.history.restore(2).results == {"c0": LINES}
    at = text[: text.index(LINES.split("\n")[3])].count("\n") + 1
    assert ctx.page_in("step_0002", lines=f"{at}-{at}").text.strip() == LINES.split("\n")[3]
    assert ctx.page_in("step_0002", pointer="/results/c0").text.strip('"').startswith("row 0")


def test_what_retrieval_brings_is_no_new_page(ctx: loom.Context) -> None:
    """Loom's own calls never make a page, and their results stay in their share."""
    before = list(ctx._engine.workspace.pager.table)
    calls = [
        loom.ToolCall("p", "page_in", '{"ref":"outputs/shell_0001"}'),
        loom.ToolCall("q", "recall", '{"query":"row"}'),
    ]
    ctx.reply(loom.Reply(tuple(calls)))
    assert list(ctx._engine.workspace.pager.table) == before
    assert ctx.turn().pressure.rho <= 1.0
    assert "[outputs/shell_0001" in ctx.history.restore(4).results["p"]


def test_parts_asked_for_together_are_bounded(tmp_path: Path) -> None:
    """Pages brought back in one step take what a fresh window has for them between them."""
    with loom.open(tmp_path / "w", window=4_000, durable=False) as ctx:
        ctx.user(LINES)
        for _ in range(3):
            calls = [loom.ToolCall(f"p{n}", "page_in", '{"ref":"user_0001"}') for n in range(8)]
            ctx.reply(loom.Reply(tuple(calls)))
            step = ctx.window.history.stream.last
            shown = sum(outcome.text.tokens for outcome in step.outcomes)
            assert shown <= ctx._engine.room.results(ctx.window, step) < ctx.window.limits.capacity
            assert ctx.turn().pressure.rho <= 1


SHAPES = st.lists(
    st.tuples(st.sampled_from(["a ", "é\n", "\ud800", "{", '"x",']), st.integers(0, 900))
)


@settings(max_examples=20)
@given(shape=SHAPES)
def test_any_text_restores(
    tmp_path_factory: pytest.TempPathFactory, shape: list[tuple[str, int]]
) -> None:
    """Whatever a user or a tool says comes back byte for byte, after a reopen too."""
    text = "".join(piece * times for piece, times in shape)
    path = tmp_path_factory.mktemp("w")
    with loom.open(path, window=4_000, durable=False) as ctx:
        ctx.user(text)
        ctx.reply(loom.Reply((loom.ToolCall("c", "t", "{}"),)))
        ctx.result("c", text)
    with loom.open(path, durable=False) as ctx:
        assert ctx.history.restore(1).text == text
        assert ctx.history.restore("step_0002").results == {"c": text}


def test_an_entry_that_is_not_there(ctx: loom.Context) -> None:
    """Of entries one of which is unknown, it is said which."""
    with pytest.raises(loom.MissingPage, match="99"):
        list(entries_as_arrived(ctx._engine.workspace, [1, 99]))


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


def test_reasoning_comes_back_as_it_was(ctx: loom.Context) -> None:
    """Its text, what the provider signed, and the format that is for."""
    thought = loom.Reasoning("It is in the sea.", '{"type":"thinking"}', "anthropic")
    ctx.reply(loom.Reply((thought, loom.Speech("In the sea."))))
    reply = ctx.history.restore(ctx.window.history.next_id - 1).reply
    assert reply is not None and reply.parts == (thought, loom.Speech("In the sea."))


def test_a_text_that_stands_shortened_rests_whole(tmp_path: Path) -> None:
    """Where long results are shortened as they come in, each names the page of the whole."""
    eager = loom.PRESETS["eager"]
    with loom.open(tmp_path / "w", window=32_000, policy=eager, durable=False) as made:
        made.reply(loom.Reply((loom.ToolCall("c", "look", "{}"),)))
        made.result("c", LINES)
        step = next(made.window.history.stream.entries_back)
        (outcome,) = step.outcomes
        assert len(outcome.text.body or "") < len(LINES) / 2
        assert made.page_in(outcome.text.page).text == LINES
