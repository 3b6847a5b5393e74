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
from loom.search.query import MOST_TERMS, query
from loom.search.terms import Terms, asked
from tests.kit.cases import all_cases

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


FOUND = [
    ("", []),
    ("?", []),
    ("xyzzy", []),
    ("kraken", [1]),
    ("KRAKENS", [1]),
    ("src/auth/login.py", [1, 3]),
    ("login.py", [1, 3]),
    ("CVE-2024-1", [1]),
    ("run_enable_interactive", [2, 6]),
    ("interactive", [2]),
    ("v12.3", [4]),
    ("失敗", [5]),
    ("サーバーが失敗", [5]),
    ("test run", [6, 2]),
    ("the", [6, 1]),
    ("the kraken", [1]),
]


@all_cases(("asked_for", "ids"), FOUND)
def test_what_is_found(index: SearchIndex, asked_for: str, ids: list[int]) -> None:
    """Whole identifiers before their parts, any spelling, any form of a word."""
    scores = index.scores(index.counted(asked(asked_for)), 10)
    assert sorted(scores, key=lambda id: -scores[id]) == ids


def test_equal_scores_stand_newest_first() -> None:
    """Of two equal texts the newer is the better hit, also where few are asked for."""
    with held(["same words"] * 5, SearchIndex.in_memory()) as made:
        assert list(made.scores(made.counted(asked("words")), 2)) == [5, 4]


def test_units_come_back(index: SearchIndex) -> None:
    """A unit is what it was; those beside it come with it."""
    assert index.units([2]) == {2: Passage("p", "page", 2, 0, len(TEXTS[1]), 1, 1, 2)}
    beside = index.beside(index.units([2, 6]).values())
    assert sorted(unit.id for unit in beside) == [1, 2, 3, 5, 6]
    assert index.beside([]) == []


def test_pages_of_no_entry_have_nothing_beside_them() -> None:
    """Entry 0 means none: such units are not each other's neighbours."""
    with SearchIndex.in_memory() as made:
        made.add(((Passage("p", "page", 0, 0, 1, 1, 1), "x") for _ in range(3)), 1, "")
        assert [unit.id for unit in made.beside(made.units([2]).values())] == []


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


def test_a_failed_add_leaves_nothing(tmp_path: Path) -> None:
    """Units and state change together or not at all."""

    def broken() -> Iterator[tuple[Passage, str]]:
        yield Passage("p", "page", 1, 0, 1, 1, 1), "kraken"
        raise RuntimeError

    with held(TEXTS, SearchIndex.at(tmp_path / "i")) as made:
        with pytest.raises(RuntimeError):
            made.add(broken(), 2, "other")
        assert made.state == (1, "mark")
        assert list(made.scores(made.counted(asked("kraken")), 9)) == [1]


def test_another_version_is_made_anew(tmp_path: Path) -> None:
    """The file of another version is emptied, not read."""
    path = tmp_path / "index.db"
    held(TEXTS, SearchIndex.at(path)).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with SearchIndex.at(path) as made:
        assert made.state == (0, "") and made.scores(made.counted(asked("kraken")), 9) == {}


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


def test_a_query_has_a_bounded_number_of_terms() -> None:
    """A whole page as a query is cut, not refused."""
    words = tuple(f"w{number}" for number in range(5_000))
    assert query(Terms(words, ())).count('"') == 2 * MOST_TERMS
    with held(["w1 w2"], SearchIndex.in_memory()) as made:
        assert list(made.scores(made.counted(Terms(words, words)), 9)) == [1]


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
