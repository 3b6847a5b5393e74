import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills import BadResource, load, resource
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
