"""What the index knows of a text: words, and identifiers whole and by their parts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.search.terms import LONGEST, Terms, asked, terms
from tests.kit.cases import all_cases

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
    assert terms(text) == Terms(words, names)


def test_a_path_has_the_names_of_its_ends() -> None:
    """Whoever asks from another folder writes a shorter path."""
    names = terms("/home/me/src/auth/login.py").names
    for asked_for in (
        "login.py",
        "auth/login.py",
        "src/auth/login.py",
        "home/me/src/auth/login.py",
    ):
        assert set(terms(asked_for).names) & set(names)
    assert not {*terms("other/login.pyc").names} & {*names}


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
    assert asked(query) == wanted


@given(st.text(st.characters(exclude_categories=[]), max_size=200))
def test_any_text_has_lawful_terms(text: str) -> None:
    """Terms are short, in one case, free of blanks and quotes, and UTF-8 can hold them."""
    found = terms(text)
    for term in (*found.words, *found.names):
        assert 0 < len(term) <= LONGEST + 2  # a folded letter may be longer
        assert not set(term) & set(' "\n\0*()')
        assert term.encode().decode() == term


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.sampled_from(["", " ", "\n", ", "]))
def test_a_text_has_the_terms_of_its_words(text: str, gap: str) -> None:
    """A word has the same terms alone as between others."""
    alone = terms(text)
    held = terms(f"before {gap}{text} {gap}after")
    assert {*alone.words} <= {*held.words} and {*alone.names} <= {*held.names}


@all_cases("piece", ["a", "A", "aB", "a/", "a.b_", "1-", "é", "語", "::", "a1", "_", "\u0301"])
def test_a_lot_of_anything(piece: str) -> None:
    """No text is too strange: it is split in one pass, and its terms stay short."""
    text = piece * (300_000 // len(piece))
    found = terms(text)
    assert max(map(len, (*found.words, *found.names)), default=0) <= LONGEST
