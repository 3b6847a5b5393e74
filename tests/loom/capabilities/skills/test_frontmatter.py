import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills.frontmatter import HEADER, NONE, front, paragraph
from tests.kit.cases import all_cases


def test_a_text_without_a_header_is_all_body() -> None:
    """Nothing is read out of it, and one warning says so."""
    assert front("").fields == front("\n\n").fields == {} and front("").body == ""
    read = front("# Title\n\nname: no\n")
    assert (read.fields, read.body, read.warnings) == ({}, "# Title\n\nname: no\n", (NONE,))


def test_a_colon_without_quotes_is_read_line_by_line() -> None:
    """What YAML refuses keeps all of its text, other fields too, with a warning."""
    read = front(
        "---\nname: a\ndescription: Use when: asked\n  for more\n# note\nlicense: 'MIT'\n"
        "allowed-tools:\n  - Read\n  - Bash(git:*)\nmetadata:\n  by: me: you\n"
        "other: |\n  l1\n  l2\n---\n"
    )
    assert read.fields == {
        "name": "a",
        "description": "Use when: asked for more",
        "license": "MIT",
        "allowed-tools": "Read, Bash(git:*)",
        "metadata": {"by": "me: you"},
        "other": "l1\nl2",
    }
    (warning,) = read.warnings
    assert "line by line" in warning and "line 2" in warning


@pytest.mark.parametrize("colon", ["", "x: y: z\n"])
def test_the_first_of_two_values_stands(colon: str) -> None:
    """By YAML and line by line alike, and the key is named."""
    read = front(f"---\nname: a\nname: b\n{colon}---\n")
    assert read.fields["name"] == "a"
    assert read.warnings[-1] == "written twice, the first stands: name"


@all_cases(
    ("header", "fields"),
    [
        ("name: [a, b]", {"name": "a, b"}),
        ("metadata: {a: [1, 2], b: {c: d}}", {"metadata": {"a": "1, 2", "b": "c: d"}}),
        ("triggers:\n- lint\n- code quality", {"triggers": "lint, code quality"}),
        ("name: !!int 3", {"name": "3"}),
        ('name: "\\ud800"', {"name": "\ufffd"}),
    ],
)
def test_what_a_kind_parser_takes_becomes_text(header: str, fields: dict[str, object]) -> None:
    """Lists are their items with commas between, nested mappings too; tags mean nothing."""
    read = front(f"---\n{header}\n---\n")
    assert (read.fields, read.warnings) == (fields, ())


@all_cases(
    "header",
    [
        "- a\n- b",
        "just text",
        "a: &x 1\nb: *x",
        "a: 1\n--- b",
        "a: " + "[" * 500,
        "x: " + "- " * 500,
        'a: "\\U99999999"',
        "a: \x07",
    ],
)
def test_what_no_kind_parser_takes_is_a_warning(header: str) -> None:
    """Lists at the top, aliases, deep nests, bad escapes: never an error."""
    assert any("line by line" in warning for warning in front(f"---\n{header}\n---\nB").warnings)


def test_aliases_are_not_unfolded() -> None:
    """A few lines that stand for gigabytes cost a few lines."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 30)]
    read = front("---\n" + "\n".join(lines) + "\n---\n")
    assert sum(map(len, read.fields.values())) < 2_000


def test_a_header_that_is_too_large_is_cut_with_a_warning() -> None:
    """The fields before the cut are there, the body is found behind all of it."""
    lines = "\n".join(f"k{n}: {'é' * 50}" for n in range(HEADER // 90))
    read = front(f"---\nname: a\n{lines}\n---\nB")
    assert read.fields["name"] == "a" and read.body == "B"
    assert f"{HEADER:,} bytes" in read.warnings[0] and 500 < len(read.fields) < 700


@all_cases(
    ("body", "told"),
    [
        ("", ""),
        ("# Only\n", "Only"),
        ("# T\n\nOne\ntwo.\n\nThree", "One two."),
        ("---\n***\nOne\n# H", "One"),
        ("x" * 5_000, "x" * 1_023 + "…"),
    ],
)
def test_a_first_paragraph_is_one_bounded_line(body: str, told: str) -> None:
    """Headings and rules are left out; a heading is taken where there is nothing else."""
    assert paragraph(body) == told


PIECES = st.sampled_from([*":[{}>\"'#!?\t\r\n ", "---\n", "name", "- ", "|\n", "&a", "*a"])


@given(st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join), st.booleans())
def test_front_takes_any_text(text: str, opened: bool) -> None:
    """Whatever stands there, fields are encodable texts and a body comes of it."""
    read = front("---\n" * opened + text)
    values = [v for f in read.fields.values() for v in (f.values() if isinstance(f, dict) else [f])]
    assert all(value.encode() is not None for value in [*values, *read.fields])
    assert all(isinstance(warning, str) for warning in read.warnings)
