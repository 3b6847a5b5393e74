import json
from typing import Any

from loom.reduce.hits import count_entries, count_matches
from loom.reduce.rule import parse_tool_result
from tests.kit.cases import all_cases

LONG = """total 8
drwxr-xr-x@  3 me  staff    96 12 Jan 09:14 .
drwxr-xr-x@ 50 me  staff  1600 15 Jan 11:42 ..
-rw-r--r--@  1 me  staff  1965 12 Jan 09:14 help.go
drwxr-xr-x@  5 me  staff   160 12 Jan 09:14 cmd"""


def text_of(result: Any) -> str:
    """A result as text."""
    return result if isinstance(result, str) else json.dumps(result)


@all_cases(
    ("result", "files", "dirs"),
    [
        ("", 0, 0),
        ("No files found", 0, 0),
        ("[]", 0, 0),
        ("a\nb\nc/", 2, 1),
        (LONG, 1, 1),
        ("- /repo/\n  - src/\n    - a.py\n", 1, 2),
        ("├── a.py\n└── lib/", 1, 1),
        (["a", "b/"], 1, 1),
        ({"files": ["a"], "dirs": ["b", "c"]}, 1, 2),
        ({"items": [{"name": "x", "type": "dir"}, {"name": "y", "is_dir": False}]}, 1, 1),
        ({"entries": [None, 3, [], "d/"]}, 3, 1),
        ({"unknown": 1}, 0, 0),
    ],
)
def test_entries(result: Any, files: int, dirs: int) -> None:
    """Files and directories are told apart in plain, long, tree and JSON listings."""
    assert count_entries(parse_tool_result("LS", "{}", text_of(result), False)) == (files, dirs)


@all_cases(
    ("arguments", "result", "count", "files"),
    [
        ({}, "", 0, 0),
        ({}, "No matches found", 0, 0),
        ({}, "a.go:1:x\na.go-2-ctx\n--\nb.go:7:y", 2, 2),
        ({}, "Found 2 files\na.go\nb/c.go", 2, 2),
        ({"path": "a.go"}, "12:x\n13-ctx\n14:y", 2, 1),
        ({}, "12:x", 1, 0),
        ({}, "a/b.go:func main() {", 1, 1),
        ({}, ["a.py:3:x", "a.py:4:y", "b.py"], 3, 2),
        ({}, {"matches": [{"file": "a"}], "total": 40}, 40, 1),
        ({}, {"matches": [1, None]}, 2, 0),
    ],
)
def test_matches(arguments: dict[str, str], result: Any, count: int, files: int) -> None:
    """Matches and files are counted in grep output, lists of paths and JSON."""
    seen = parse_tool_result("Grep", json.dumps(arguments), text_of(result), False)
    assert count_matches(seen) == (count, files)
