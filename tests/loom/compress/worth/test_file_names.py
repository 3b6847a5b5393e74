"""One file under several names."""

from __future__ import annotations

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
        assert name in files.named(name.rpartition("/")[2])


def compared(paths: list[str]) -> list[str]:
    """The canonical name of each path, by comparing it with all before it."""
    known: list[str] = []
    names = []
    for path in paths:
        same = (o for o in known if f"/{o}".endswith(f"/{path}") or f"/{path}".endswith(f"/{o}"))
        name = next(same, path)
        known += [name] * (name not in known)
        names.append(name)
    return names


@given(st.lists(st.tuples(st.sampled_from(["", "/", "//"]), PARTS.map("/".join)).map("".join)))
def test_the_first_that_fits(paths: list[str]) -> None:
    """Of several files a name may mean it is the one that was named first."""
    files = FileNames()
    assert [files.name(path) for path in paths] == compared(paths)


def test_names_that_are_not_alike_take_no_folders() -> None:
    """A name that shares no end with another is held once, however deep it is."""
    files = FileNames()
    paths = [f"/a/b/c/d/e/f/{number}.py" for number in range(100)]
    assert [files.name(path) for path in paths] == paths
    assert [*files._above.values()] == [*range(100)]
    assert files.name("/z/7.py") == "/z/7.py"
    assert [one for one in files._above.values() if not isinstance(one, int)]


def test_no_file() -> None:
    """Blank paths have no name, unknown words name no file."""
    files = FileNames()
    assert (files.name(""), files.name("  "), files.named("a.py")) == ("", "", [])
