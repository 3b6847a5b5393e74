"""Whether a path lies in a folder is told as following every link would tell it."""

import os
from itertools import product
from pathlib import Path

import pytest

from loom_paging.plain import is_within


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with folders, files and links: inside, outside, to each other, to nothing."""
    made = (tmp_path / "root").resolve()
    for folder in ("a", "a/b", "../other", "../root-2"):
        (made / folder).mkdir(parents=True, exist_ok=True)
    for file in ("f", "a/f", "a/b/f", "../other/f", "../root-2/f"):
        (made / file).write_text("x")
    links = {"in": "a", "out": "../other", "a/up": "..", "loop": "loop", "gone": "nothing",
             "a/file": "../../other/f", "beside": "../root-2", "back": "../root"}  # fmt: skip
    for name, target in links.items():
        (made / name).symlink_to(target)
    return made


def test_as_every_link_followed_would_say(root: Path) -> None:
    """Every path of three parts of these names, and some that climb."""
    parts = [
        "a",
        "b",
        "f",
        "in",
        "out",
        "up",
        "loop",
        "gone",
        "file",
        "beside",
        "back",
        "..",
        "new",
    ]
    for deep in (1, 2, 3):
        for chosen in product(parts, repeat=deep):
            path = root.joinpath(*chosen)
            assert is_within(path, root) == Path(os.path.realpath(path)).is_relative_to(root), (
                chosen
            )
    assert is_within(root, root)
    assert not is_within(root.with_name("root-2") / "f", root)
