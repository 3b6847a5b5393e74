import json

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.delta import delta_of, patched_paths
from loom.reduce.rule import tool_result
from tests.kit.cases import all_cases

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
    return delta_of(tool_result("Edit", arguments, "", False))


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
    seen = tool_result("apply_patch", arguments, "", False)
    assert (delta_of(seen), patched_paths(seen)) == (delta, paths)


TEXT = st.lists(st.sampled_from(["a", "b", "c"])).map("\n".join)


@given(TEXT, TEXT)
def test_added_less_removed_is_the_change_of_length(old: str, new: str) -> None:
    """The delta accounts for every line gained or lost, and mirrors when turned round."""
    added, removed = change(old, new)
    assert added - removed == len(new.splitlines()) - len(old.splitlines())
    assert change(new, old) == (removed, added)
