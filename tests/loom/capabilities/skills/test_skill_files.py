"""A skill's header and texts, read however they are written."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills.skill_files import (
    HEADER,
    NO_HEADER,
    load_skill,
    parse_front_matter,
    read_resource,
)
from loom.errors import BadInput
from tests.kit.cases import all_cases
from tests.kit.skills import skill_in

FULL = "---\nname: full\ndescription: All there is.\n---\n\n# Full\n\nDo it.\n"


def test_a_text_without_a_header_is_all_body(tmp_path: Path) -> None:
    """The folder gives the name, and one warning says so; nothing is read out of the text."""
    for text in ("", "\n\n", "# Title\n\nname: no", "---\nname: open"):
        assert parse_front_matter(text) == ({}, text.strip("\n"), (NO_HEADER,))
    skill, odd = load_skill(skill_in(tmp_path, "bare", text="# Bare\n\nname: no\n") / "SKILL.md")
    assert (skill.name, skill.description, odd) == ("bare", "", (NO_HEADER,))


@all_cases(
    ("text", "why"),
    [
        ("---\nname: other\ndescription: x\n---\n", "not the folder's"),
        (f"---\nname: {'a' * 65}\ndescription: x\n---\n", "64"),
        (f"---\nname: odd\ndescription: {'a ' * 600}\n---\n", "1,024"),
        ("---\nname: odd\n---\n", "no description"),
        ("---\ndescription: x\n---\n", "no name"),
    ],
)
def test_what_breaks_the_specification_is_loaded_with_a_warning(
    tmp_path: Path, text: str, why: str
) -> None:
    """Nothing is refused for its form."""
    skill, odd = load_skill(skill_in(tmp_path, "odd", text=text) / "SKILL.md")
    assert skill.name and len(skill.name) <= 64 and len(odd) == 1 and why in odd[0]


def test_a_huge_text_is_cut_and_says_so(tmp_path: Path) -> None:
    """A megabyte is read, and the last line tells the whole size."""
    folder = skill_in(tmp_path, "full", text=FULL)
    (folder / "big.txt").write_text("x" * 1_200_000)
    text = read_resource(load_skill(folder / "SKILL.md")[0], "big.txt")
    assert len(text) < 1_001_000 and "1,200,000 bytes" in text.splitlines()[-1]


PATHS = {
    "leads out": ("/etc/passwd", "../secret", "a/../../secret", "out", "up/secret"),
    "No such file": ("gone.md",),
    "irectory|no plain file": ("", ".", "a", "a/.."),
    "no plain file": ("pipe",),
    "null": ("nul\0",),
}


@all_cases(("path", "why"), [(path, why) for why, paths in PATHS.items() for path in paths])
def test_a_path_that_names_no_text_inside_is_refused(tmp_path: Path, path: str, why: str) -> None:
    """The error is typed, says why, and names what there is."""
    folder = skill_in(tmp_path, "full", text=FULL)
    (folder / "a").mkdir()
    (folder / "a" / "z.py").touch()
    (tmp_path / "secret").write_text("secret")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    with pytest.raises(BadInput, match=rf"(?s)({why}).*a/z\.py"):
        read_resource(load_skill(folder / "SKILL.md")[0], path)


@pytest.mark.parametrize("between", ["", "x: y: z\n"])
def test_the_first_of_two_values_stands(between: str) -> None:
    """What stands between them changes nothing, and the key is named."""
    fields, _, odd = parse_front_matter(f"---\nname: a\nname: b\n{between}---\n")
    assert fields["name"] == "a" and odd[-1] == "written twice, the first stands: name"


@all_cases(
    ("header", "fields"),
    [
        ("name: yes\nlicense: 1.10", {"name": "yes"}),
        ("name: |\n  a\n  b", {"name": "a b"}),
        ("name: 'a'\ndescription: Use when: asked\n  for more\n# note\nlicense: MIT",
         {"name": "a", "description": "Use when: asked for more"}),
        ("description: >-\n  One\n\n  two # three\nname: x", {
            "description": "One two # three", "name": "x"}),
        ('name: "a \\"b\\""\ndescription: \'it\'\'s\'', {"name": 'a "b"', "description": "it's"}),
        ("name: a # not b", {"name": "a"}),
        ('name: "a: b" # not c', {"name": "a: b"}),
        ("metadata:\n  name: a", {}),
        ("- a\n- b", {}),
        ("a: " + "[" * 500, {}),
    ],
)  # fmt: skip
def test_a_value_is_its_text(header: str, fields: dict[str, object]) -> None:
    """On one line, out of its quotes or block, a colon in it or not; other fields are no matter."""
    assert parse_front_matter(f"---\n{header}\n---\n") == (fields, "", ())


def test_a_header_that_is_too_large_is_cut_with_a_warning() -> None:
    """The fields before the cut are there, the body is found behind all of it."""
    lines = "\n".join(f"k{n}: {'é' * 50}" for n in range(HEADER // 50))
    fields, body, odd = parse_front_matter(f"---\nname: a\n{lines}\n---\nB")
    assert fields["name"] == "a" and body == "B" and f"{HEADER:,} characters" in odd[0]


PIECES = st.sampled_from([*":[{}>\"'#!?\t\r\n ", "---\n", "name", "- ", "|\n", "&a", "*a"])


@given(st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join), st.booleans())
def test_front_takes_any_text(text: str, opened: bool) -> None:
    """Whatever stands there, fields are encodable texts and a body comes of it."""
    text = "---\n" * opened + text
    fields, body, _ = parse_front_matter(text)
    assert all(value.encode() is not None for value in [*fields, *fields.values()])
    assert body in text
