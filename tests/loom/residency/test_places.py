"""One file under several names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.residency.places import Files

PARTS = st.lists(st.sampled_from(["a", "src", "lib", "x.py", "y.py"]), min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("", "a.py", False),
        ("a.py", "a.py", True),
        ("a.py", "b.py", False),
        ("src/a.py", "lib/a.py", False),
        ("ba.py", "a.py", False),
        ("/repo/src/a.py", "src/a.py", True),
        ("src/a.py", "/repo/src/a.py", True),
        ("./src/a.py", "src/a.py", True),
        ("src\\a.py", "src/a.py", True),
        (" src/a.py ", "src/a.py", True),
        ("src/", "src", True),
        ("rc/a.py", "src/a.py", False),
    ],
)
def test_same_file(first: str, second: str, same: bool) -> None:
    """Names mean one file when one ends the other at a folder's edge."""
    files = Files()
    assert (files.name(first) == files.name(second)) is same


@given(st.lists(PARTS.map("/".join), max_size=12))
def test_a_name_stays(paths: list[str]) -> None:
    """A canonical name is its own, and known under its bare file name."""
    files = Files()
    for path in paths:
        name = files.name(path)
        assert files.name(name) == name
        assert name in files.named(name.rpartition("/")[2])


def test_no_file() -> None:
    """Blank paths have no name, unknown words name no file."""
    files = Files()
    assert (files.name(""), files.name("  "), files.named("a.py")) == ("", "", [])
