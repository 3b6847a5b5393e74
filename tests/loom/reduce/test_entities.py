from loom.reduce.entities import is_path, opaque_ids, paths_in
from tests.kit.cases import all_cases


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
    assert list(paths_in(text)) == ["src/a.py", "docs/b.md", "c.json"]


def test_an_endless_token_is_no_path() -> None:
    """A megabyte without a blank is passed over."""
    assert list(paths_in("/a" * 500_000)) == []


@all_cases(
    ("text", "found"),
    [
        ("", []),
        ('{"id":2763480564,"n":42,"run_id": 21692651903}', ["2763480564", "21692651903"]),
        ("72a7142 Fix; b56f105f31aa", ["72a7142", "b56f105f31aa"]),
        ("pull/7#issuecomment-2763480569", ["2763480569"]),
        ("de305d54-75b4-431b-adb2-eb6b9e546014", ["de305d54-75b4-431b-adb2-eb6b9e546014"]),
        ("20261123 and 20261123120000, 3.14159265, 1234567.5, 123456", []),
        ("decade defaced a_1234567 b1234567890z v1.12345678", []),
        ("1" * 20 + " " + "a1" * 21, []),
        ("launched i-0abcd1234ef567890 in vpc-0a1b2c3d", ["i-0abcd1234ef567890", "vpc-0a1b2c3d"]),
        ("DB_PASSWORD=4f0c1d2e3b4a5968 and API key is: 4f0c1d2e3b4a5968", []),
        ("?token=deadbeef12345678; Set-Cookie: session=5e884898da2800", []),
        ("card 4111111111111111, 4111111111111111", []),
        ("session 5e884898da2800", ["5e884898da2800"]),
    ],
)
def test_ids(text: str, found: list[str]) -> None:
    """Long numbers, hashes and UUIDs are ids; words, dates, decimals and secrets are none."""
    assert list(opaque_ids(text)) == found
