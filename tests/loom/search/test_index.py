"""The index: what is added is found, whatever is asked."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.search.index import Passage, SearchIndex
from loom.search.terms import asked

TEXTS = [
    "The kraken sleeps in src/auth/login.py, says issue CVE-2024-1.",
    "func runEnableInteractive(w io.Writer) error {",
    "login login login py py src auth",
    "v1.2.3 was released; v12.3 was not",
    "接続が失敗しました。サーバー",
    "the tests were running",
]


def held(texts: list[str], index: SearchIndex) -> SearchIndex:
    """The index with a unit for each text, their ids from 1."""
    units = ((Passage("p", "page", n, 0, len(t), 1, 1), t) for n, t in enumerate(texts, 1))
    index.add(units, 1, "mark")
    return index


@pytest.fixture
def index() -> Iterator[SearchIndex]:
    """An index in memory that holds TEXTS."""
    with held(TEXTS, SearchIndex.in_memory()) as made:
        yield made


def test_a_file_is_private_and_stays(tmp_path: Path) -> None:
    """What was added is there after a reopen, for its owner only; no text is in it."""
    path = tmp_path / "index.db"
    with held(TEXTS, SearchIndex.at(path)) as made:
        assert made.state == (1, "mark") and made.added == len(TEXTS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"kraken sleeps" not in path.read_bytes()
    with SearchIndex.at(path) as again:
        assert again.state == (1, "mark") and again.added == 0
        assert list(again.scores(again.counted(asked("kraken")), 9)) == [1]
    with SearchIndex.in_memory(path) as copied:
        assert list(copied.scores(copied.counted(asked("kraken")), 9)) == [1]
        copied.clear()
        assert copied.state == (0, "") and copied.scores(copied.counted(asked("kraken")), 9) == {}
    with SearchIndex.at(path) as again:
        assert again.state == (1, "mark")


def test_what_is_no_database(tmp_path: Path) -> None:
    """It raises, for the caller to throw away; a link is never followed."""
    (tmp_path / "junk").write_bytes(b"junk" * 500)
    with pytest.raises(sqlite3.DatabaseError):
        SearchIndex.at(tmp_path / "junk")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        SearchIndex.at(tmp_path / "folder")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="link"):
        SearchIndex.at(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


@pytest.fixture(scope="module")
def shared_index() -> Iterator[SearchIndex]:
    """An index that is only asked."""
    with held(TEXTS, SearchIndex.in_memory()) as made:
        yield made


SYNTAX = st.sampled_from(
    ['"', "'", "*", "(", ")", "AND", "OR", "NOT", "NEAR(", "names:", "^", "-", "+", "a", "é", "\0"]
)


@given(st.one_of(st.text(max_size=80), st.lists(SYNTAX, max_size=12).map(" ".join)))
def test_no_query_raises(shared_index: SearchIndex, text: str) -> None:
    """Whatever is asked is words, never syntax."""
    shared_index.scores(shared_index.counted(asked(text)), 5)


@given(st.lists(st.from_regex(r"[\w./-]{1,40}", fullmatch=True), min_size=1, max_size=6), st.data())
def test_any_text_is_found_by_any_identifier_in_it(texts: list[str], data: st.DataObject) -> None:
    """An identifier that has terms finds the text it stands in."""
    with held([f"see {text}, and more" for text in texts], SearchIndex.in_memory()) as made:
        number = data.draw(st.integers(0, len(texts) - 1))
        wanted = asked(texts[number])
        if wanted.words or wanted.names:
            assert number + 1 in made.scores(made.counted(wanted), len(texts))
