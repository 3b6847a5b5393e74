"""What the index knows of a text, and that what is added is found."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.search.index import Passage, SearchIndex
from loom.search.terms import LONGEST, Terms, index_terms, sought_terms
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


def test_a_file_is_private_and_stays(tmp_path: Path) -> None:
    """What was added is there after a reopen, for its owner only; no text is in it."""
    path = tmp_path / "index.db"
    with held(TEXTS, SearchIndex.at(path)) as made:
        assert made.state == (1, "mark") and made.added == len(TEXTS)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"kraken sleeps" not in path.read_bytes()
    with SearchIndex.at(path) as again:
        assert again.state == (1, "mark") and again.added == 0
        assert list(again.scores(again.counted(sought_terms("kraken")), 9)) == [1]
    with SearchIndex.in_memory(path) as copied:
        assert list(copied.scores(copied.counted(sought_terms("kraken")), 9)) == [1]
        copied.clear()
        assert (
            copied.state == (0, "")
            and copied.scores(copied.counted(sought_terms("kraken")), 9) == {}
        )
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
    shared_index.scores(shared_index.counted(sought_terms(text)), 5)


@given(st.lists(st.from_regex(r"[\w./-]{1,40}", fullmatch=True), min_size=1, max_size=6), st.data())
def test_any_text_is_found_by_any_identifier_in_it(texts: list[str], data: st.DataObject) -> None:
    """An identifier that has terms finds the text it stands in."""
    with held([f"see {text}, and more" for text in texts], SearchIndex.in_memory()) as made:
        number = data.draw(st.integers(0, len(texts) - 1))
        wanted = sought_terms(texts[number])
        if wanted.words or wanted.names:
            assert number + 1 in made.scores(made.counted(wanted), len(texts))


SPLIT: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("", (), ()),
    (" \n…→", (), ()),
    ("kraken", ("kraken",), ()),
    ("Kraken!", ("kraken",), ()),
    ("setup.go", ("setup", "go"), ("setupgo",)),
    ("runEnableInteractive", ("run", "enable", "interactive"), ("runenableinteractive",)),
    ("run_enable_interactive", ("run", "enable", "interactive"), ("runenableinteractive",)),
    ("run-enable", ("run", "enable"), ("runenable",)),
    ("ENTIRE_TEST_TTY", ("entire", "test", "tty"), ("entiretesttty",)),
    ("HTTPServer", ("http", "server"), ("httpserver",)),
    ("std::vector", ("std", "vector"), ("stdvector",)),
    ("CVE-2024-1", ("cve", "2024", "1"), ("cve2024·1",)),
    ("v1.2.3", ("2", "3"), ("v1·2·3", "v1")),
    ("deadbeef12", ("deadbeef", "12"), ("deadbeef12",)),
    ("a1b2c3d4", (), ("a1b2c3d4",)),
    ("auth/login.py", ("auth", "login", "py"), ("authloginpy", "loginpy")),
    ("login.py:42", ("login", "py", "42"), ("loginpy",)),
    ("__init__", ("init",), ()),
    ("x = y", ("x", "y"), ()),
    ("é", ("e",), ()),
    ("Größe", ("grosse",), ()),
    ("re\u0301sume\u0301", ("resume",), ()),
    ("ＡＢＣ", ("abc",), ()),
    ("猫", ("猫",), ()),
    ("日本語", ("日本", "本語"), ()),
    ("日本a", ("日本",), ()),
    ("हिन्दी", ("हिन्दी",), ()),
    ("a\ud800b", ("a", "b"), ()),
]


@all_cases(("text", "words", "names"), SPLIT)
def test_terms(text: str, words: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Words are parts, names are identifiers of several parts in one spelling."""
    assert index_terms(text) == Terms(words, names)


ASKED = [
    ("???", Terms((), ())),
    ("what is the", Terms(("what", "is", "the"), ())),
    ("what is the Kraken kraken", Terms(("kraken",), ())),
    ("where is setup.go", Terms(("setup", "go"), ("setupgo",))),
    ("to-do", Terms((), ("todo",))),
]


@all_cases(("query", "wanted"), ASKED)
def test_asked(query: str, wanted: Terms) -> None:
    """Each term once; stop words only where there is nothing else to look for."""
    assert sought_terms(query) == wanted


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_has_lawful_terms(text: str) -> None:
    """Terms are short, in one case, free of blanks and quotes, and UTF-8 can hold them."""
    found = index_terms(text)
    for term in (*found.words, *found.names):
        assert 0 < len(term) <= LONGEST + 2  # a folded letter may be longer
        assert not set(term) & set(' "\n\0*()')
        assert term.encode().decode() == term


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.sampled_from(["", " ", "\n", ", "]))
def test_a_text_has_the_terms_of_its_words(text: str, gap: str) -> None:
    """A word has the same terms alone as between others."""
    alone = index_terms(text)
    held = index_terms(f"before {gap}{text} {gap}after")
    assert {*alone.words} <= {*held.words} and {*alone.names} <= {*held.names}


@all_cases("piece", ["a", "A", "aB", "a/", "a.b_", "1-", "é", "語", "::", "a1", "_", "\u0301"])
def test_a_lot_of_anything(piece: str) -> None:
    """No text is too strange: it is split in one pass, and its terms stay short."""
    text = piece * (300_000 // len(piece))
    found = index_terms(text)
    assert max(map(len, (*found.words, *found.names)), default=0) <= LONGEST
