"""A line of shell in tokens: what is quoted, or a heredoc's, is data."""

import re

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.tokens import WORD, each_token
from tests.kit.cases import all_cases

# Pieces of shell in any order, as hostile as they come.
SHELL = st.lists(
    st.sampled_from([
        "a", " ", "'", '"', "`", "$(", ")", "(", "${", "}", "<<E", "<<-'E'", "\nE\n", "\n", "E",
        "#", "\\", "\\\n", "&&", "||", "|", ";", "&", ">", "2>&1", "<<<", "$'", "$", "\t", "é",
        "{", "\r",
    ])
).map("".join)  # fmt: skip


@all_cases(
    ("line", "words"),
    [
        ("", []),
        ("   ", []),
        ("pytest -q", ["pytest", "-q"]),
        ("'a b' c\\ d \"e f\"", ["a b", "c d", "e f"]),
        ("a# b # c d", ["a#", "b"]),
        ("x=$(ls 'a)' | wc) y", ["x=$(ls 'a)' | wc)", "y"]),
        ("echo $'a\\'b' c", ["echo", "a\\'b", "c"]),
        ("a\\\nb c", ["ab", "c"]),
        ('echo "a $(b "c d") e" f', ["echo", 'a $(b "c d") e', "f"]),
        ("m \"$(cat <<'E'\ndon't ) \"\nE\n)\" z", ["m", "$(cat <<here:HASH\n)", "z"]),
        ("'never closed ; ls", ["never closed ; ls"]),
        ("diff <(a b) >(c d)", ["diff", "<(a b)", ">(c d)"]),
    ],
)
def test_words(line: str, words: list[str]) -> None:
    """Words lose their quotes; what is substituted stays one word as it stands."""
    found = [token.value for token in each_token(line) if token.kind == WORD]
    assert [re.sub(r"here:\w{8}", "here:HASH", word) for word in found] == words


@given(st.one_of(SHELL, st.text(st.characters(codec=None), max_size=200)))
def test_any_line_is_read(line: str) -> None:
    """Any text can be taken apart, and no token is empty."""
    assert all(token.text for token in each_token(line))
