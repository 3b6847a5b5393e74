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
        assert name in files.among({name.rpartition("/")[2]})


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
