"""A skill's header and texts, read however they are written."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills import BadResource, load, resource
from loom.capabilities.skills.frontmatter import HEADER, NONE, front, paragraph
from tests.kit.cases import all_cases

Write = Callable[..., Path]
FULL = """---
name: full
description: All there is.
license: MIT
compatibility: Python
metadata:
  author: me
allowed-tools: Read, Bash(git diff:*) Write
---

# Full

Do it.
"""


def test_what_is_missing_is_made_up_for(write: Write, tmp_path: Path) -> None:
    """The folder gives the name, the first paragraph the description, each with a warning."""
    skill, odd = load(write(tmp_path, "bare", text="# Bare\n\nSome help.\n") / "SKILL.md")
    assert (skill.name, skill.description) == ("bare", "Some help.") and len(odd) == 1
    text = "---\nlicense: MIT\nmetadata: no\n---\nHelp."
    skill, odd = load(write(tmp_path, "bare", text=text) / "SKILL.md")
    assert (skill.name, skill.description, skill.metadata) == ("bare", "Help.", {})
    assert len(odd) == 3 and "metadata" in odd[2]


@all_cases(
    ("text", "why"),
    [
        ("---\nname: other\ndescription: x\n---\n", "not the folder's"),
        (f"---\nname: {'a' * 65}\ndescription: x\n---\n", "64"),
        (f"---\nname: odd\ndescription: {'a ' * 600}\n---\n", "1,024"),
        ("---\nname: odd\n---\n", "no text to take one from"),
    ],
)
def test_what_breaks_the_specification_is_loaded_with_a_warning(
    write: Write, tmp_path: Path, text: str, why: str
) -> None:
    """Nothing is refused for its form."""
    skill, odd = load(write(tmp_path, "odd", text=text) / "SKILL.md")
    assert skill.name and len(skill.name) <= 64 and len(odd) == 1 and why in odd[0]


def test_a_huge_text_is_cut_and_says_so(write: Write, tmp_path: Path) -> None:
    """A megabyte is read, and the last line tells the whole size."""
    folder = write(tmp_path, "full", text=FULL)
    (folder / "big.txt").write_text("x" * 1_200_000)
    text = resource(load(folder / "SKILL.md")[0], "big.txt")
    assert len(text) < 1_001_000 and "1,200,000 bytes" in text.splitlines()[-1]


PATHS = {
    "relative": ("", ".", "/etc/passwd", "C:\\x", "\\\\host\\x"),
    "go up": ("../secret", "a/../../secret", "a\\..\\..\\secret"),
    "leads out": ("out", "up/secret"),
    "No such file": ("gone.md",),
    "irectory": ("a",),
    "no plain file": ("pipe",),
    "null": ("nul\0",),
}


@all_cases(("path", "why"), [(path, why) for why, paths in PATHS.items() for path in paths])
def test_a_path_that_names_no_text_inside_is_refused(
    write: Write, tmp_path: Path, path: str, why: str
) -> None:
    """The error is typed, says why, and names what there is."""
    folder = write(tmp_path, "full", text=FULL)
    (folder / "a").mkdir()
    (folder / "a" / "z.py").touch()
    (tmp_path / "secret").write_text("secret")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    with pytest.raises(BadResource, match=rf"(?s){why}.*a/z\.py"):
        resource(load(folder / "SKILL.md")[0], path)


@given(path=st.text(st.sampled_from("./\\a\0"), max_size=12))
def test_no_path_reaches_a_neighbour(path: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever the path, it is read inside the folder or refused."""
    top = tmp_path_factory.getbasetemp() / "neighbours"
    (top / "s" / "a").mkdir(parents=True, exist_ok=True)
    (top / "s" / "SKILL.md").write_text("Help.")
    for name in ("a", "aa"):
        (top / name).write_text("secret")
    try:
        assert resource(load(top / "s" / "SKILL.md")[0], path) != "secret"
    except BadResource as error:
        assert error.path == path


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
