from loom.reduce.entities import is_path, paths


def test_paths_have_a_form() -> None:
    """Rooted and nested names and files with a known extension are paths; words, dates, addresses
    and slash commands are none."""
    for token in (
        "a.py",
        "src/a.py",
        "/etc/hosts",
        "./run",
        "../up",
        "~/x",
        "a/b/c",
        "C:\\d\\a.txt",
    ):
        assert is_path(token), token
    for token in (
        "",
        "/",
        "word",
        "and/or",
        "2024/01/02",
        "https://e.com/a.py",
        "e.g",
        ".py",
        "/plan",
    ):
        assert not is_path(token), token


def test_paths_lose_punctuation_and_line_numbers() -> None:
    """A path is taken out of its sentence clean."""
    text = "See `src/a.py:12`, (docs/b.md) and @c.json."
    assert list(paths(text)) == ["src/a.py", "docs/b.md", "c.json"]


def test_an_endless_token_is_no_path() -> None:
    """A megabyte without a blank is passed over."""
    assert list(paths("/a" * 500_000)) == []
