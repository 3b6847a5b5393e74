"""Which lines of which files an output shows."""

from __future__ import annotations

import json

from loom.reduce.aliases import READ, SEARCH, SHELL
from loom.reduce.located import files_shown_by_call, located_lines
from tests.kit.cases import all_cases


@all_cases(
    ("tool", "arguments", "files"),
    [
        (READ, {"path": "a.py"}, None),
        (SHELL, {"command": "pytest a.py"}, None),
        (SEARCH, {"path": "src"}, ()),
        (SEARCH, {"path": "src/a.py"}, ("src/a.py",)),
        (SHELL, {"command": "grep -rn x src"}, ()),
        (SHELL, {"command": "cd src && grep -n x a.py"}, ("src/a.py",)),
        (SHELL, {"command": "cat src/a.py | head -5"}, ("src/a.py",)),
    ],
)
def test_the_files_a_call_asks_for(
    tool: str, arguments: dict[str, str], files: tuple[str, ...] | None
) -> None:
    """None for a call that shows no lines of files; a folder is no file."""
    assert files_shown_by_call(tool, json.dumps(arguments)) == files


@all_cases(
    ("text", "files", "found"),
    [
        ("no matches found", (), []),
        ("src/a.py\nsrc/b.py", (), []),
        ("src/a.py:3:x = 1", (), [(0, "src/a.py", "x = 1")]),
        ("src/a.py:3:7:x = 1", (), [(0, "src/a.py", "x = 1")]),
        ("src/a.py-4-y = d[1:2:3]", (), [(0, "src/a.py", "y = d[1:2:3]")]),
        ("src/a.py:x = 1", (), [(0, "src/a.py", "x = 1")]),
        ("src/a.py\n3:x = 1\n4-y", (), [(1, "src/a.py", "x = 1"), (2, "src/a.py", "y")]),
        ("File: src/a.py\nL3: x = 1", (), [(1, "src/a.py", "x = 1")]),
        ("3:x = 1", ("a.py",), [(0, "a.py", "x = 1")]),
        ("x = 1", ("a.py", "b.py"), [(0, "a.py", "x = 1"), (0, "b.py", "x = 1")]),
        ("https://example.org/a:1:x", (), []),
    ],
)
def test_the_lines_of_files(
    text: str, files: tuple[str, ...], found: list[tuple[int, str, str]]
) -> None:
    """A line names its file, stands below one, or is of the files that were asked for."""
    assert list(located_lines(text.split("\n"), files)) == found
