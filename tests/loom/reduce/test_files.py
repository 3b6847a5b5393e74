import hashlib
import json
from typing import Any

from loom.reduce import reduce
from tests.kit.cases import all_cases


def seen(name: str, arguments: dict[str, Any], result: Any, **more: Any) -> str:
    """The observation of one call; a result that is not text is given as JSON."""
    text = result if isinstance(result, str) else json.dumps(result)
    return reduce(name, json.dumps(arguments), text, **more).reduction.observation


def sha(text: str) -> str:
    """The short hash an observation shows."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@all_cases(
    ("arguments", "result", "content", "line"),
    [
        ({}, "", "", "Read ? (0 bytes, text"),
        ({"path": "a.py"}, "x = 1\n", "x = 1\n", "Read a.py (6 bytes, Python"),
        ({"file_path": "/n"}, "hi", "hi", "Read /n (2 bytes, text"),
        ({"target_file": "d"}, '{"a": 1}', '{"a": 1}', "Read d (8 bytes, JSON"),
        ({"path": "b"}, "\0\1", "\0\1", "Read b (2 bytes, binary"),
        ({"path": "c.md"}, {"content": "# T"}, "# T", "Read c.md (3 bytes, Markdown"),
        ({"path": "e.go"}, "     1→a\n     2→b", "a\nb", "Read e.go (3 bytes, Go"),
        ({"path": "e.go"}, "     1\ta\n     2\tb", "a\nb", "Read e.go (3 bytes, Go"),
    ],
)
def test_read(arguments: dict[str, Any], result: Any, content: str, line: str) -> None:
    """A read keeps path, size, type and a hash of the file's own bytes."""
    assert seen("Read", arguments, result) == f"{line}, sha {sha(content)})"


@all_cases(
    ("arguments", "lines", "kept"),
    [
        ({}, "", {}),
        ({"offset": 10, "limit": 50}, " lines 10-59", {"offset": 10, "limit": 50}),
        ({"offset": 10}, " from line 10", {"offset": 10}),
        ({"limit": 20}, " lines 1-20", {"limit": 20}),
        ({"view_range": [5, 9]}, " lines 5-9", {"view_range": "5-9"}),
        ({"start_line": 3, "end_line": 4}, " lines 3-4", {"start_line": 3, "end_line": 4}),
        ({"offset": "x"}, "", {"offset": "x"}),
    ],
)
def test_the_range_of_a_read_is_kept(
    arguments: dict[str, Any], lines: str, kept: dict[str, Any]
) -> None:
    """A partial read says which lines it covers, and keeps the arguments that say so."""
    done = reduce("Read", json.dumps({"path": "a.py"} | arguments), "x").reduction
    assert done.observation.startswith(f"Read a.py{lines} (1 bytes")
    assert done.minimal_args == {"path": "a.py"} | kept


@all_cases(
    ("arguments", "result", "line"),
    [
        ({"path": "r.md"}, "", "Wrote r.md"),
        ({"path": "r.md", "content": ""}, "ok", "Wrote r.md (0 bytes)"),
        ({"path": "r.md", "content": "é" * 10}, "ok", "Wrote r.md (20 bytes)"),
        ({"file_path": "r.md", "file_text": "abc"}, "ok", "Wrote r.md (3 bytes)"),
        ({"path": "r.md"}, {"success": True, "bytes": 1234}, "Wrote r.md (1234 bytes)"),
        ({"path": "r.md"}, "Successfully wrote 77 bytes to r.md", "Wrote r.md (77 bytes)"),
    ],
)
def test_write(arguments: dict[str, Any], result: Any, line: str) -> None:
    """A write keeps path and bytes written, from its content or from the tool's word."""
    assert seen("Write", arguments, result) == line


def test_written_content_is_never_kept() -> None:
    """What was written does not come back in the minimal arguments."""
    done = reduce("Write", json.dumps({"path": "a", "content": "secret" * 99}), "ok")
    assert done.reduction.minimal_args == {"path": "a"}
    assert not done.page


@all_cases(
    ("arguments", "line"),
    [
        ({"path": "a.py"}, "Edited a.py"),
        ({"path": "a.py", "old_string": "a", "new_string": "a"}, "Edited a.py"),
        (
            {"path": "a.py", "old_string": "a\nb", "new_string": "a\nc\nd"},
            "Edited a.py (+2 −1 lines)",
        ),
        ({"path": "a.py", "oldText": "a", "newText": ""}, "Edited a.py (+0 −1 lines)"),
        (
            {"path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}] * 2},
            "Edited a.py (+2 −2 lines)",
        ),
        (
            {"patch": "*** Begin Patch\n*** Update File: b.py\n-x\n+y\n+z"},
            "Edited b.py (+2 −1 lines)",
        ),
    ],
)
def test_edit(arguments: dict[str, Any], line: str) -> None:
    """An edit keeps path and signed line delta."""
    assert seen("Edit", arguments, "ok") == line


@all_cases(
    ("result", "line", "page"),
    [
        ("", "Listed src/: 0 items (0 files, 0 dirs)", False),
        ("a.py\nb/\n", "Listed src/: 2 items (1 file, 1 dir)", False),
        ({"entries": ["f"] * 10}, "Listed src/: 10 items (10 files, 0 dirs)", False),
        ({"entries": ["f"] * 15 + ["d/"] * 5}, "Listed src/: 20 items (15 files, 5 dirs)", True),
    ],
)
def test_list(result: Any, line: str, page: bool) -> None:
    """A listing keeps path and counts, and rests on a page from the eleventh item."""
    text = result if isinstance(result, str) else json.dumps(result)
    done = reduce("LS", json.dumps({"path": "src/"}), text)
    assert (done.reduction.observation, done.page) == (line, page)
    assert done.reduction.minimal_args == {"path": "src/"}


@all_cases(
    ("arguments", "result", "line"),
    [
        ({"pattern": "x"}, "No files found", "Searched 'x': 0 matches"),
        ({"pattern": "x"}, "a.py:3:x\na.py:9:x\nb.py:1:x", "Searched 'x': 3 matches in 2 files"),
        ({"pattern": "x", "path": "src"}, "src/a.py", "Searched 'x' in src: 1 match in 1 file"),
        (
            {"query": "x"},
            {"matches": [{"path": "a"}, {"path": "a"}]},
            "Searched 'x': 2 matches in 1 file",
        ),
    ],
)
def test_search(arguments: dict[str, Any], result: Any, line: str) -> None:
    """A search keeps pattern, path, matches and files."""
    assert seen("Grep", arguments, result) == line
