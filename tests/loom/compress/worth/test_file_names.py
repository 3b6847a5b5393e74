"""One file under several names."""

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.compress.worth.file_names import FileNames

PARTS = st.lists(st.sampled_from(["a", "src", "lib", "x.py", "y.py"]), min_size=1, max_size=4)


@given(st.lists(PARTS.map("/".join), max_size=12))
def test_a_name_stays(paths: list[str]) -> None:
    """A canonical name is its own, and known under its bare file name."""
    files = FileNames()
    for path in paths:
        name = files.name(path)
        assert files.name(name) == name
        assert name in files.names_among({name.rpartition("/")[2]})


def compared(paths: list[str]) -> list[str]:
    """The canonical name of each path, by comparing it with all before it."""
    told: dict[str, str] = {}
    for path in map(posixpath.normpath, paths):
        absolute = [one for one in told if one.startswith("/")]
        taken = {told[one] for one in absolute}
        if path in told:
            continue
        if path.startswith("/"):
            same = [one for one in told if path.endswith(f"/{one}") and one not in taken]
            same = sorted((one for one in same if told[one] == one), key=len, reverse=True)
        else:
            same = [told[one] for one in absolute if one.endswith(f"/{path}")]
        told[path] = next(iter(same), path)
    return [told[posixpath.normpath(path)] for path in paths]


@given(st.lists(st.tuples(st.sampled_from(["", "/", "./"]), PARTS.map("/".join)).map("".join)))
def test_one_name_absolute_and_relative(paths: list[str]) -> None:
    """A relative name means the first absolute one that ends with it; no two of a kind are one."""
    files = FileNames()
    assert [files.name(path) for path in paths] == compared(paths)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("src/a.py", "/r/src/a.py", True),
        ("C:\\r\\src\\a.py", "src/a.py", True),
        ("src//a.py", "src/b/../a.py", True),
        ("src/a.py", "wt/src/a.py", False),
        ("README.md", "docs/README.md", False),
        ("../lib/a.py", "lib/a.py", False),
        ("https://x.org/src/a.py", "src/a.py", False),
        ("/r/src/a.py", "/other/src/a.py", False),
    ],
)
def test_what_is_one_file(one: str, two: str, *, same: bool) -> None:
    """Names of one file have one canonical name, told in either order."""
    for first, second in ((one, two), (two, one)):
        files = FileNames()
        assert (files.name(first) == files.name(second)) is same
