"""A script in its commands: where each stands and what hides its status."""

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.shell_script import MOST, simple_commands
from tests.kit.cases import all_cases

# Bodies and brackets deeper than any script.
DEEP = 100_000


@all_cases(
    ("line", "told"),
    [
        ("", []),
        ("a", [("", "a", "")]),
        ("a && b", [("", "a", ""), ("&&", "b", "")]),
        ("a &&\n  b", [("", "a", ""), ("&&", "b", "")]),
        ("a; b\n", [("", "a", ";"), (";", "b", "")]),
        ("a | b || c", [("", "a", "| ||"), ("|", "b", "||"), ("||", "c", "")]),
        ("(a && b) | c", [("", "a", "|"), ("&&", "b", "|"), ("|", "c", "")]),
        ("{ a; b; } && c &", [("", "a", "& ;"), (";", "b", "&"), ("&&", "c", "&")]),
        ("if a; then b; fi; c", [("", "a", "; if"), (";", "b", "; if"), (";", "c", "")]),
        ("! a", [("", "a", "!")]),
    ],
)
def test_what_hides_a_status(line: str, told: list[tuple[str, str, str]]) -> None:
    """A pipe, a list, an alternative and a condition each leave their sign on what is before."""
    found = [
        (one.joint, one.words[0].value, " ".join(sorted(one.after)))
        for one in simple_commands(line)
    ]
    assert found == told


@given(st.text("ab ();|&{}!\n'\"<>EOFif then do done\t", max_size=200))
def test_any_script_is_read(line: str) -> None:
    """Whatever a script holds, it is read, and no command is without words and redirections."""
    assert all(one.words or one.sent for one in simple_commands(line))


@all_cases("piece", ["a;", "a||", "(", "((a;", "{ ", "if ", "a\n", ")", "a|"])
def test_a_script_of_any_length_has_few_commands(piece: str) -> None:
    """However many commands and brackets there are, a bounded number is kept."""
    found = simple_commands(piece * DEEP)
    assert len(found) <= MOST + 1
    assert all(len(one.group) <= MOST for one in found)
