import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.file_rules import line_delta, patched_paths
from loom.reduce.rule import parse_tool_result
from loom.reduce.rules import reduce_result
from tests.kit.cases import all_cases


def seen(name: str, arguments: dict[str, Any], result: Any, **more: Any) -> str:
    """The observation of one call; a result that is not text is given as JSON."""
    text = result if isinstance(result, str) else json.dumps(result)
    return reduce_result(name, json.dumps(arguments), text, **more).reduction.observation


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


PATCH = """*** Begin Patch
*** Update File: a.py
@@
-old
+new
+more
*** Add File: b.py
+one
*** End Patch"""

DIFF = """--- a/x.py
+++ b/x.py
@@ -1,2 +1,1 @@
 same
-gone"""


def change(old: str, new: str) -> tuple[int, int]:
    """The delta of replacing `old` by `new`."""
    arguments = json.dumps({"old_string": old, "new_string": new})
    return line_delta(parse_tool_result("Edit", arguments, "", False))


@all_cases(
    ("arguments", "delta", "paths"),
    [
        ("not a patch", (0, 0), []),
        (PATCH, (3, 1), ["a.py", "b.py"]),
        (json.dumps({"input": PATCH}), (3, 1), ["a.py", "b.py"]),
        (json.dumps({"diff": DIFF}), (0, 1), ["x.py"]),
        (json.dumps({"command": "insert", "new_str": "a\nb"}), (2, 0), []),
        (json.dumps({"edits": [1, None, {"search": "a", "replace": "b"}]}), (1, 1), []),
    ],
)
def test_patches_and_lists(arguments: str, delta: tuple[int, int], paths: list[str]) -> None:
    """Patches bare or wrapped, inserts and lists of edits are counted."""
    seen = parse_tool_result("apply_patch", arguments, "", False)
    assert (line_delta(seen), patched_paths(seen)) == (delta, paths)


LINES = st.lists(st.sampled_from(["a", "b", "c"])).map("\n".join)


@given(LINES, LINES)
def test_added_less_removed_is_the_change_of_length(old: str, new: str) -> None:
    """The delta accounts for every line gained or lost, and mirrors when turned round."""
    added, removed = change(old, new)
    assert added - removed == len(new.splitlines()) - len(old.splitlines())
    assert change(new, old) == (removed, added)
