"""A line of shell in tokens: what is quoted is data, and nothing is lost."""

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.tokens import BLANK, HERE, WORD, tokens
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
        ("m \"$(cat <<'E'\ndon't ) \"\nE\n)\" z", ["m", "$(cat <<'E'\ndon't ) \"\nE\n)", "z"]),
        ("'never closed ; ls", ["never closed ; ls"]),
        ("diff <(a b) >(c d)", ["diff", "<(a b)", ">(c d)"]),
    ],
)
def test_words(line: str, words: list[str]) -> None:
    """Words lose their quotes; what is substituted stays one word as it stands."""
    assert [token.value for token in tokens(line) if token.kind == WORD] == words


def test_a_heredoc_is_no_command() -> None:
    """The body of a heredoc is one token, whatever it holds; what stands behind it is read on."""
    found = tokens("cat <<-'A' <<B && x\n\t\"one\n\tA\n$(two\nB\nls; rm y")
    assert [token.value for token in found if token.kind == HERE] == ['\t"one\n', "$(two\n"]
    assert [token.text for token in found if token.kind not in (BLANK, HERE)] == [
        "cat", "<<-", "'A'", "<<", "B", "&&", "x", "\n", "\n", "ls", ";", "rm", "y",
    ]  # fmt: skip


@all_cases(
    ("word", "fixed"),
    [("a", True), ("'$a*'", True), ('"a*"', True), ("$a", False), ("a*", False), ('"$(b)"', False)],
)
def test_what_the_shell_puts_in(word: str, fixed: bool) -> None:
    """A word is told from one in whose place the shell puts something else."""
    assert tokens(word)[0].fixed is fixed


@given(st.one_of(SHELL, st.text(st.characters(codec=None), max_size=200)))
def test_tokens_joined_are_the_line(line: str) -> None:
    """Any text can be taken apart, every character stands in one token, and none is empty."""
    found = tokens(line)
    assert "".join(token.text for token in found) == line
    assert all(token.text for token in found)


@given(SHELL)
def test_work_is_bounded(line: str) -> None:
    """No line has more tokens than characters: each takes some, and none is read twice."""
    assert len(tokens(line * 20)) <= 20 * len(line)
