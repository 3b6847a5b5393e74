"""Recall over a real workspace: what is searched, how it is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import loom
from loom.engine.archive.recall import search
from loom.engine.archive.units import values
from loom.providers.counts import counter_for
from loom_paging import MemoryStore
from tests.kit.cases import all_cases
from tests.kit.opened import plain

count = counter_for()


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
def test_the_text_keeps_to_its_room(lived: loom.Context, room: int) -> None:
    """In characters and in tokens, whatever the form."""
    for query in ("row table kraken", "row", "xyzzy", "compass kraken login"):
        assert len(lived.recall(query, room)) <= room
        assert count(lived.recall(query, tokens=room)) <= room


def test_a_line_that_holds_all_leads(lived: loom.Context) -> None:
    """Where one line says all that is asked for, it goes before words that stand apart."""
    lived.user("The ferry of the north bay leaves from pier nine at dawn.\n" + "All aboard. " * 15)
    for _ in range(2):
        lived.user("A ferry, a ferry!\nNorth, north.\nThe bay, the bay.\nPier by pier, pier.")
    text = lived.recall("pier ferry north bay", tokens=600)
    assert text.startswith("user_0005")


# By meaning


class Sea:
    """An embedder that knows which texts are about the sea."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Two dimensions."""
        sea = [any(word in text for word in ("kraken", "compass", "ocean")) for text in texts]
        return np.array([[float(held), float(not held)] for held in sea], np.float32)


def test_an_embedder_finds_what_shares_no_word(lived: loom.Context) -> None:
    """With one, meaning counts beside words; without it, words alone, as before."""
    assert lived.recall("ocean") == "nothing holds ocean"
    lived.memory.use_embedder(Sea())
    names = [hit.name for hit in search(lived._engine.workspace, "ocean", 2)]
    assert sorted(names) == ["step_0003", "user_0001"]
    assert "the compass points north" in lived.recall("ocean", tokens=5_000)
    assert lived.recall("ocean kraken").splitlines()[0] == "user_0001"
    lived.memory.use_embedder(None)
    assert lived.recall("ocean") == "nothing holds ocean"


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
