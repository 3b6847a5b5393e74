"""Recall over a real workspace: what is searched, how it is told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import loom
from loom.engine.archive.recall import search
from loom.engine.archive.units import values
from loom.engine.archive.workspace import Workspace
from loom.providers.counts import counter_for
from loom_paging import MemoryStore
from tests.kit.cases import all_cases
from tests.kit.opened import plain

LOG = "".join(f"row {number} of the table\n" for number in range(300))
count = counter_for()


def called(id: str, arguments: str, name: str = "Bash", say: str = "I look.") -> loom.Reply:
    """A reply with a call."""
    return loom.Reply((loom.Speech(say), loom.ToolCall(id, name, arguments)))


@pytest.fixture
def ctx(lived: loom.Context) -> loom.Context:
    """A context that lived."""
    return lived


def work(ctx: loom.Context) -> Workspace:
    """The workspace of a context."""
    return ctx._engine.workspace


# What is searched

PLACES = [
    ("kraken", "user_0001"),
    ("row 287", "outputs/shell_0001.log"),
    ("cat", "step_0002"),
    ("4711", "step_0002"),
    ("login.py", "step_0003"),
    ("auth/login.py", "step_0003"),
    ("ahoy", "step_0003"),
    ("compass", "step_0003"),
    ("run_enable_interactive", "step_0004"),
    ("sleeping", "step_0004"),
]


@all_cases(("query", "name"), PLACES)
def test_what_is_found(ctx: loom.Context, query: str, name: str) -> None:
    """Messages, what replies say and call with, results short and long; page_in knows the name."""
    assert ctx.recall(query).split()[0] == name
    assert search(work(ctx), query, 3)[0].name == name
    assert ctx.page_in(name).text


def test_what_holds_nothing(ctx: loom.Context) -> None:
    """A query that nothing holds, or that has no words, says so."""
    assert ctx.recall("xyzzy") == ctx.recall("xyzzy", tokens=9_000) == "nothing holds xyzzy"
    assert "no words" in ctx.recall("?!") and "no words" in ctx.recall("", tokens=9_000)
    assert search(work(ctx), "xyzzy", 5) == search(work(ctx), "?!", 5) == []
    assert len(ctx.recall("xyzzy " * 999, 100)) <= 100


def test_a_hit_names_its_lines(ctx: loom.Context) -> None:
    """Of a page those that page_in brings; of a reply none, because it is shown as JSON."""
    (hit,) = search(work(ctx), "row 287", 1)
    assert hit.first <= 288 <= hit.last <= 300
    assert hit.lines[0] == (288, "row 287 of the table")
    assert "row 287 of" in ctx.page_in(hit.name, lines=f"{hit.first}-{hit.last}").text
    (hit,) = search(work(ctx), "compass", 1)
    assert (hit.first, hit.last) == (0, 0)


def test_equal_pages_are_one_place(ctx: loom.Context) -> None:
    """The same bytes again are a second name of the page, not a second hit."""
    before = ctx.recall("row 287")
    ctx.reply(called("again", "{}"))
    ctx.result("again", LOG)
    assert ctx.recall("row 287") == before


def test_a_long_message_has_two_names(ctx: loom.Context) -> None:
    """Its page is named, where lines can be read, and the entry behind it."""
    ctx.user("Hear my tale.\n" + "The sea was calm.\n" * 90 + "Then came the leviathan.\n")
    first, *lines = ctx.recall("leviathan").splitlines()
    page, entry, _, span = first.split()
    assert page.startswith("outputs/message_") and entry == "(user_0005)"
    assert span.endswith("–92") and "Then came the leviathan." in lines
    assert "leviathan" in ctx.page_in(page, lines="92").text
    assert "leviathan" in ctx.page_in("user_0005", lines="92").text


def test_a_reply_on_a_page_is_searched_as_its_entry(tmp_path: Path) -> None:
    """One too large for the window is found by what it says, not as the JSON it rests in."""
    with loom.open(tmp_path, window=4_000, durable=False) as ctx:
        ctx.reply(called("c", json.dumps({"content": 'the "last"\nalbatross\n' * 900}), "Write"))
        hits = search(work(ctx), "albatross", 50)
        assert {hit.name for hit in hits} == {"step_0001"} and len(hits) > 5
        assert hits[0].lines[0][1] == "albatross"


def test_what_retrieval_brought_is_no_new_place(ctx: loom.Context) -> None:
    """Asking again finds what was found before, not the asking."""
    before = ctx.recall("kraken compass")
    for number, query in enumerate(["kraken", "compass", "kraken compass"]):
        ctx.reply(called(f"r{number}", json.dumps({"query": query}), "recall", say=""))
        ctx.reply(called(f"p{number}", '{"ref":"user_0001"}', "page_in", say=""))
    assert "kraken" in ctx.history.restore(ctx.window.history.next_id - 5).results["p0"]
    assert ctx.recall("kraken compass") == before


def test_digests_are_no_places(tmp_path: Path) -> None:
    """What was folded is found where it rests, not in the listing that stands for it."""
    with plain(tmp_path, window=6_000) as ctx:
        for number in range(60):
            ctx.reply(called(f"c{number}", f'{{"command":"sail {number}"}}'))
            ctx.result(f"c{number}", f"anchor {number}\n" + LOG[:1_500])
            ctx.turn()
        assert any("digest" in name for name in work(ctx).pager.table)
        hits = search(work(ctx), "anchor sail command", 200)
        assert hits and not any("digest" in hit.name for hit in hits)


VALUES: list[tuple[str, list[str]]] = [
    ("", []),
    ("{}", []),
    ('{"a":null,"b":true}', []),
    ('{"a":"x\\ny","b":[1,{"c":2.5}],"d":"z"}', ["x\ny", "1", "2.5", "z"]),
    ('"text"', ["text"]),
    ('{"a":', ['{"a":']),
    ("[" * 100_000, ["[" * 100_000]),
]


@all_cases(("arguments", "found"), VALUES)
def test_values(arguments: str, found: list[str]) -> None:
    """Texts and numbers, unescaped and in order; what is no JSON is taken as it is."""
    assert values(arguments) == found


# How it is told

SIZES = [0, 1, 20, 100, 500, 1_000, 4_000, 16_000, 40_000]


@pytest.mark.exact
@all_cases("room", SIZES)
def test_the_text_keeps_to_its_room(ctx: loom.Context, room: int) -> None:
    """In characters and in tokens, whatever the form."""
    for query in ("row table kraken", "row", "xyzzy", "compass kraken login"):
        assert len(ctx.recall(query, room)) <= room
        assert count(ctx.recall(query, tokens=room)) <= room


def test_with_room_the_passages_come_whole(ctx: loom.Context) -> None:
    """Slices under name and lines, those that follow on each other as one."""
    text = ctx.recall("row 120", tokens=8_000)
    assert "outputs/shell_0001.log lines 1–300\n" + LOG.rstrip() in text


def test_what_stands_beside_a_hit_comes_with_it(ctx: loom.Context) -> None:
    """The call before a result, and the answer after it, where there is room."""
    text = ctx.recall("compass", 16_000)
    assert "compass" in text and "cat table" in text and "It sleeps below" in text
    assert "cat table" not in ctx.recall("compass", 60)


def test_little_room_brings_passages_too(ctx: loom.Context) -> None:
    """The best passage leads under its name, a larger one about its best line, then names."""
    ctx.user("The sextant lies in row 286.\nIt is of brass.")
    text = ctx.recall("row 287 sextant brass", tokens=300)
    assert text.startswith("user_0005 lines 1–2\nThe sextant lies in row 286.\nIt is of brass.")
    log = next(line for line in text.splitlines() if "shell_0001.log lines" in line)
    first, last = map(int, log.split()[-1].split("–"))
    assert 161 < first <= 288 <= last < 300
    shown = "".join(f"row {number - 1} of the table\n" for number in range(first, last + 1))
    assert f"{log}\n{shown}" in text


def test_a_line_that_holds_all_leads(ctx: loom.Context) -> None:
    """Where one line says all that is asked for, it goes before words that stand apart."""
    ctx.user("The ferry of the north bay leaves from pier nine at dawn.\n" + "All aboard. " * 15)
    for _ in range(2):
        ctx.user("A ferry, a ferry!\nNorth, north.\nThe bay, the bay.\nPier by pier, pier.")
    text = ctx.recall("pier ferry north bay", tokens=600)
    assert text.startswith("user_0005")


def test_names_follow_the_passages(ctx: loom.Context) -> None:
    """What has no room as a passage is named with its line; a place is named once."""
    for number in range(9):
        ctx.user(f"ship {number} " + "of fools and of sails " * 40)
    text = ctx.recall("ship sails", tokens=900)
    names = [line.split()[0] for line in text.splitlines() if line.startswith("user_")]
    assert len(set(names)) == len(names) >= 3
    assert text.count("\n  1: ship ") >= 1


def test_a_long_line_is_shown_about_its_hit(ctx: loom.Context) -> None:
    """Of a line larger than the room the words around the hit are shown."""
    ctx.user("fog and rain " * 70 + "the lighthouse blinks twice " + "rain and fog " * 70)
    text = ctx.recall("lighthouse", tokens=120)
    name, shown, *_ = text.splitlines()
    assert name.endswith("(user_0005)") and "lighthouse" in shown
    assert count(text) <= 120


def test_more_places_before_more_lines(ctx: loom.Context) -> None:
    """Where no passage fits, each place has one line; with more room, all of them."""
    for number in range(6):
        ctx.user(f"ship {number}\nship of sails\n" + "and fools sailed on it far away\n" * 9)
    small, large = ctx.recall("ship", 100), ctx.recall("ship", 4_000)
    assert small.count("user_") > 2 and small.count("user_") == small.count("ship")
    assert large.count("user_") == 6 and large.count("ship") == 12


# By meaning


class Sea:
    """An embedder that knows which texts are about the sea."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Two dimensions."""
        sea = [any(word in text for word in ("kraken", "compass", "ocean")) for text in texts]
        return np.array([[float(held), float(not held)] for held in sea], np.float32)


def test_an_embedder_finds_what_shares_no_word(ctx: loom.Context) -> None:
    """With one, meaning counts beside words; without it, words alone, as before."""
    assert ctx.recall("ocean") == "nothing holds ocean"
    ctx.memory.use_embedder(Sea())
    names = [hit.name for hit in search(work(ctx), "ocean", 2)]
    assert sorted(names) == ["step_0003", "user_0001"]
    assert "the compass points north" in ctx.recall("ocean", tokens=5_000)
    assert ctx.recall("ocean kraken").splitlines()[0] == "user_0001"
    ctx.memory.use_embedder(None)
    assert ctx.recall("ocean") == "nothing holds ocean"


# Any text, any query

WORDS = st.from_regex(r"[A-Za-z][\w.-]{3,30}", fullmatch=True)


@given(texts=st.lists(WORDS, min_size=1, max_size=4), asked=st.text(max_size=40))
def test_any_text_is_found(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], asked: str
) -> None:
    """Whatever was said is found by any identifier in it; no query raises."""
    with plain(MemoryStore()) as ctx:
        for text in texts:
            ctx.user(f"so: {text}!")
        for at, text in enumerate(texts, 1):
            # Equal scores stand newest first, and a place is shown with the words asked for.
            found = ctx.recall(text, tokens=9_000)
            assert f"user_{at:04d}" in found and f"so: {text}!" in found
        ctx.recall(asked)
