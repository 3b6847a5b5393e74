"""Identifiers, and the names source code defines."""

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.worth.identifiers import defined_names, identifiers
from tests.kit.cases import all_cases


@all_cases(
    ("text", "found"),
    [
        ("", set()),
        ("a an the fix", set()),
        ("parse_header(x1, value)", {"parse_header", "value"}),
        ("12345 1234 0x4f2a9", {"12345", "0x4f2a9"}),
        ("Überlauf naïve", {"Überlauf", "naïve"}),
        ("登录模块", {"登录", "录模", "模块", "登录模块"}),
        ("w" * 65 + " short_enough", {"short_enough"}),
    ],
)
def test_identifiers(text: str, found: set[str]) -> None:
    """Words of four characters and more, long numbers, pairs of an unspaced script."""
    assert identifiers(text) == found


@all_cases(
    ("text", "found"),
    [
        ("", set()),
        ("nothing defined here", set()),
        ("parse(x)", set()),
        ("def parse_header(x):", {"parse_header"}),
        ("    12→def parse_header(x):", {"parse_header"}),
        ("func (s *Server) Serve() error {", {"Serve"}),
        ("export class Session {}\nconst limit = 3", {"Session", "limit"}),
        ("pub struct Window;\nimpl Window {", {"Window"}),
        ("def run():", set()),
    ],
)
def test_defined(text: str, found: set[str]) -> None:
    """Names behind the keywords of most languages, line numbers of a tool aside."""
    assert defined_names(text) == found


@given(st.text(max_size=400))
def test_what_is_defined_is_spoken_of(text: str) -> None:
    """A text that defines a short enough name also holds it as an identifier."""
    for name in defined_names(text):
        assert len(name) > 64 or name in identifiers(text)
