from loom.reduce.entities import is_path, paths
from tests.kit.cases import all_cases


@all_cases(
    "token",
    [
        "",
        "/",
        "word",
        "and/or",
        "24/7/365",
        "2024/01/02",
        "https://e.com/a.py",
        "e.g",
        ".py",
        "/plan",
    ],
)
def test_words_are_no_paths(token: str) -> None:
    """Words, dates, addresses and slash commands do not have the form of a path."""
    assert not is_path(token)


@all_cases(
    "token",
    ["a.py", "src/a.py", "/etc/hosts", "./run", "../up/there", "~/x", "a/b/c", "C:\\dir\\a.txt"],
)
def test_paths_have_a_form(token: str) -> None:
    """Rooted and nested names and files with a known extension are paths."""
    assert is_path(token)


def test_paths_lose_punctuation_and_line_numbers() -> None:
    """A path is taken out of its sentence clean, with its position."""
    text = "See `src/a.py:12`, (docs/b.md) and @c.json."
    assert [path for _, path in paths(text)] == ["src/a.py", "docs/b.md", "c.json"]
    assert next(paths(text))[0] == text.index("src")


def test_an_endless_token_is_no_path() -> None:
    """A megabyte without a blank is passed over."""
    assert list(paths("/a" * 500_000)) == []
