import json
from typing import Any

from loom.reduce import reduce
from tests.kit.cases import all_cases


def seen(name: str, arguments: dict[str, Any], result: Any, **more: Any) -> str:
    """The observation of one call; a result that is not text is given as JSON."""
    text = result if isinstance(result, str) else json.dumps(result)
    return reduce(name, json.dumps(arguments), text, **more).reduction.observation


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
