"""Names of files in facts: the same as `FileNames` gives, and most are not looked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.digest import names
from loom.compress.digest.names import Endings, FactNames
from loom.compress.worth.file_names import FileNames

PARTS = st.sampled_from(["a", "b", "a.py", "..", "", ".", " "])
PATHS = st.lists(
    st.builds(
        lambda head, parts: head + "/".join(parts),
        st.sampled_from(["", "/", "./", "\\"]),
        st.lists(PARTS, max_size=4),
    ),
    max_size=12,
)


@given(PATHS, PATHS)
def test_names_are_those_of_file_names(before: list[str], paths: list[str]) -> None:
    """Whatever other digests named before, each path has the name it has where all are searched."""
    FactNames(before)
    mine, whole = FactNames(paths), FileNames()
    for path in paths:
        assert mine.name(path) == whole.name(path)
        for other in (*paths, *before):
            assert mine.known(other) == whole.known(other)


def test_a_path_is_held_against_the_others_once() -> None:
    """A path that a digest named before is not looked at again."""
    FactNames(f"src/once_{n}.py" for n in range(9))
    looked = FactNames.seen.looked
    FactNames(f"src/once_{n}.py" for n in range(10))
    assert FactNames.seen.looked == looked + 1


def test_paths_are_not_kept_without_end() -> None:
    """With too many paths all are forgotten, and their names stay what they are."""
    FactNames.seen = Endings()
    kept = [f"src/many_{n}.py" for n in range(names.PATHS + 1)]
    FactNames(kept)
    assert FactNames.seen.full
    told = FactNames(("lib/other.py", kept[0]))
    assert FactNames.seen.looked == 2
    assert told.name(kept[0]) == kept[0]
