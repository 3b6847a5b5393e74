"""A line of shell in tokens: what is quoted, or a heredoc's, is data."""

import re

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.shell_tokens import BODIES, WORD, shell_tokens
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
        ("cat <<E\nrm x\n  E\nE \nE\nls", ["cat", "ls"]),
        ("cat <<-E\n\trm x\n\tE\nls", ["cat", "ls"]),
        ("echo 'use <<E' \"a <<E\"\nls\nE", ["echo", "use <<E", "a <<E", "ls", "E"]),
        ("# cat <<E\nls\nE", ["ls", "E"]),
        ("echo '<<E' <<E\nrm x\nE\nls", ["echo", "<<E", "ls"]),
        ("awk '\n{}' <<'E'\nrm x\nE\nls", ["awk", "\n{}", "ls"]),
        ('m "a #1 $(cat <<E\nrm x\nE\n)" z', ["m", "a #1 $(cat <<here:HASH\n)", "z"]),
        ("it\\'s <<'E'\nrm x\nE\nls", ["it's", "ls"]),
        ("'never closed ; ls", ["never closed ; ls"]),
        ("diff <(a b) >(c d)", ["diff", "<(a b)", ">(c d)"]),
    ],
)
def test_words(line: str, words: list[str]) -> None:
    """Words lose their quotes; what is substituted stays one word as it stands."""
    found = [token.value for token in shell_tokens(line) if token.kind == WORD]
    assert [re.sub(r"here:\w{8}", "here:HASH", word) for word in found] == words


def test_a_long_body_is_no_shell() -> None:
    """A heredoc longer than what is looked at is taken out whole, however many there are."""
    line = "cat <<E\n" + "rm x\n" * 1_000 + "E\nls"
    assert [token.value for token in shell_tokens(line, 100) if token.kind == WORD] == ["cat", "ls"]
    many = "cat " + "<<A " * 1_000 + "\n" + "A\n" * 1_000
    assert sum(token.kind == "here" for token in shell_tokens(many)) == BODIES


@given(st.one_of(SHELL, st.text(st.characters(codec=None), max_size=200)))
def test_any_line_is_read(line: str) -> None:
    """Any text can be taken apart, and no token is empty."""
    assert all(token.text for token in shell_tokens(line))
