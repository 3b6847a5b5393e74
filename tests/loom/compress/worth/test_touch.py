"""What an entry speaks of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from loom.compress.worth.touch import PLACES, Touching, touching
from loom_partitions.message import UserTurn
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.step import act


@pytest.fixture
def touched(opened: Open) -> Callable[..., Touching]:
    """What one step touches."""

    def see(tool: str, args: dict[str, Any] | str, result: str = "ok", **more: Any) -> Touching:
        ctx = opened()
        return touching(act(ctx, tool, args, result, **more), ctx._engine.workspace.read)

    return see


@all_cases(
    ("tool", "args", "said", "paths"),
    [
        ("Bash", {"command": "make"}, "", ()),
        ("Bash", "{broken", "", ()),
        ("Read", {"path": "src/a.py"}, "", ("src/a.py",)),
        ("Read", {"path": "src/a.py"}, "I read src/a.py and src/b.py.", ("src/a.py", "src/b.py")),
        ("Bash", {"command": "pytest tests/test_a.py -q"}, "", ("tests/test_a.py",)),
    ],
)
def test_paths(
    touched: Callable[..., Touching], tool: str, args: Any, said: str, paths: tuple[str, ...]
) -> None:
    """The file of the call first, then files it or the model mention, each once."""
    assert touched(tool, args, said=said).paths == paths


@all_cases(
    ("tool", "result", "places"),
    [
        ("Bash", "nothing at all", ()),
        ("Read", "src/a.py:12: x", ()),
        ("Bash", "12:30 ok, ratio 1.5:3", ()),
        ("Grep", "src/a.py:12: x\nsrc/b.py:7:y", (("src/a.py", 12), ("src/b.py", 7))),
        ("Bash", "at /r/src/a.py:3 in f", (("/r/src/a.py", 3),)),
    ],
)
def test_places(
    touched: Callable[..., Touching], tool: str, result: str, places: tuple[tuple[str, int], ...]
) -> None:
    """Search results and outputs point at lines of files; what was read does not."""
    assert touched(tool, {"command": "x"}, result).places == places


def test_places_are_bounded(touched: Callable[..., Touching]) -> None:
    """Of very many places the first PLACES are looked at."""
    found = touched("Grep", {"pattern": "x"}, "".join(f"a.py:{n}: x\n" for n in range(1, 500)))
    assert [line for _, line in found.places] == list(range(1, PLACES + 1))


@all_cases(
    ("tool", "args", "edited"),
    [
        ("Read", {"path": "a.py", "old_string": "x = 1"}, ()),
        ("Edit", "{broken", ()),
        ("Edit", {"path": "a.py", "old_string": "", "new_string": "y"}, ()),
        ("Edit", {"old_string": "x", "new_string": "y"}, ()),
        ("Edit", {"path": "a.py", "old_string": "x\n  a longer line\n", "new_string": "y"},
         (("a.py", "a longer line"),)),
        ("replace_in_file", {"path": "a.py", "old_str": "x", "new_str": "y"}, (("a.py", "x"),)),
    ],
)  # fmt: skip
def test_edited(
    touched: Callable[..., Touching], tool: str, args: Any, edited: tuple[tuple[str, str], ...]
) -> None:
    """An edit names its file and the longest line it replaces."""
    assert touched(tool, args).edited == edited


def test_who_speaks(opened: Open, touched: Callable[..., Touching]) -> None:
    """What the model asks for is said, a command's output is heard, a file is not."""
    read = touched("Read", {"path": "a.py"}, "inside_the_file", said="look_for_this")
    assert "look_for_this" in read.said
    assert read.heard == frozenset()
    ran = touched("Bash", {"command": "grep_something"}, "printed_words")
    assert "printed_words" in ran.heard
    assert "grep_something" in ran.said
    assert "printed_words" not in ran.said


def test_a_user_touches_what_they_name(opened: Open) -> None:
    """A message of the user has paths and names like a reply's."""
    ctx = opened()
    ctx.user("Please mend parse_header in src/http.py")
    turn = next(ctx.window.history.stream.entries_back)
    assert isinstance(turn, UserTurn)
    found = touching(turn, ctx._engine.workspace.read)
    assert found.user
    assert found.paths == ("src/http.py",)
    assert {"parse_header", "http.py"} <= found.names
