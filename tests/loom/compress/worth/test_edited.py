"""What an edit replaces, and which slices it leaves wrong."""

import json
from itertools import accumulate, pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.compress.worth.edited import Replacement, replacements_by_file
from loom.compress.worth.entry_units import EntryUnit
from loom.compress.worth.slices import lines_with_ends
from loom.compress.worth.superseded import keys_outdated_by_edit
from loom_partitions.message import Call
from tests.kit.cases import all_cases

SLICES = st.lists(st.integers(1, 6), min_size=1, max_size=4)
LINES = st.lists(st.sampled_from(["a", "b", "ab", ""]), min_size=1, max_size=12)


def units(text: str, sizes: list[int], page: str = "outputs/read_0001.txt") -> list[EntryUnit]:
    """The slices of a text that was read, of so many lines each; the last takes what is left."""
    lines = lines_with_ends(text)
    ends = [end for end in accumulate(sizes) if end < len(lines)]
    return [
        EntryUnit((page, "", first + 1), "read", "result", 0, 9, "".join(lines[first:last]),
             "a.py", first=first + 1, last=last)
        for first, last in pairwise([0, *ends, len(lines)])
    ]  # fmt: skip


PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def one():
 kept
-x
+y
*** Update File: b.py
@@
-gone
*** End Patch
"""


@all_cases(
    ("arguments", "changes"),
    [
        ("", []),
        ("[1]", []),
        ("{broken", []),
        ({"path": "a.py"}, [("a.py", None)]),
        ({"old_string": "x", "new_string": "y"}, []),
        ({"path": "a.py", "insert_line": 3, "new_str": "x"}, [("a.py", None)]),
        ({"path": "a.py", "old_string": "", "new_string": "x"}, [("a.py", None)]),
        ({"path": "a.py", "old_string": "x", "new_string": "x"}, []),
        ({"path": "a.py", "old_string": "x", "new_string": "y"}, [("a.py", Replacement("x", "y"))]),
        ({"path": "a.py", "old_str": "x"}, [("a.py", Replacement("x", ""))]),
        ({"path": "a.py", "oldText": "x", "newText": "y"}, [("a.py", Replacement("x", "y"))]),
        ({"path": "a.py", "old_string": "x", "new_string": "y", "replace_all": True},
         [("a.py", Replacement("x", "y", True))]),
        ({"path": "a.py", "old_string": "x", "new_string": "y", "replaceAll": "no"},
         [("a.py", Replacement("x", "y"))]),
        ({"path": "a.py", "edits": [{"oldString": "x", "newString": "y"}, {"old": "z"}, 3]},
         [("a.py", Replacement("x", "y")), ("a.py", Replacement("z", "")), ("a.py", None)]),
        ({"patch": PATCH},
         [("src/a.py", Replacement("kept\nx\n", "kept\ny\n")),
          ("b.py", Replacement("gone\n", ""))]),
        (PATCH, [("src/a.py", Replacement("kept\nx\n", "kept\ny\n")),
                 ("b.py", Replacement("gone\n", ""))]),
    ],
)  # fmt: skip
def test_what_an_edit_replaces(
    arguments: dict[str, Any] | str, changes: list[tuple[str, Replacement | None]]
) -> None:
    """Pairs of old and new text, once or everywhere, or a patch's; None where nothing tells."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    assert list(replacements_by_file(Call("c1", "Edit", text, 9))) == changes


@given(LINES, SLICES, st.data(), st.booleans())
def test_no_slice_stays_that_shows_what_an_edit_replaced(
    lines: list[str], sizes: list[int], data: st.DataObject, everywhere: bool
) -> None:
    """Every slice that shows a part of a place of the old text leaves; the others stay."""
    text = "".join(f"{line}{n}\n" for n, line in enumerate(lines))
    found = units(text, sizes)
    start = data.draw(st.integers(0, len(text) - 1))
    old = text[start : data.draw(st.integers(start + 1, len(text)))]
    places = [at for at in range(len(text)) if text.startswith(old, at)]
    ends = list(accumulate(len(unit.text) for unit in found))
    wrong = {
        unit.key
        for unit, end in zip(found, ends, strict=True)
        if any(at < end and at + len(old) > end - len(unit.text) for at in places)
    }
    assert set(keys_outdated_by_edit(found, Replacement(old, f"{old}!", everywhere))) == wrong


@all_cases(
    ("kind", "where", "seen"),
    [
        ("read", "result", True),
        ("edit", "result", True),
        ("write", "result", True),
        ("shell", "result", False),
        ("error", "result", False),
        ("new", "call", True),
        ("old", "call", False),
    ],
)
def test_only_what_shows_the_file_leaves(kind: str, where: Any, seen: bool) -> None:
    """A slice that was read, what an edit answered, what a call put there; no output."""
    unit = EntryUnit(("step_0001", "", 1), kind, where, 0, 9, "one\n", "a.py", first=1, last=1)
    assert bool(list(keys_outdated_by_edit([unit], Replacement("one", "two")))) is seen


def test_two_pages_are_no_neighbours() -> None:
    """The end of one reading and the start of another make no text between them."""
    found = [*units("a\nb\n", [9]), *units("c\nd\n", [9], "outputs/read_0002.txt")]
    assert list(keys_outdated_by_edit(found, Replacement("b\nc\n", "x\n"))) == []
    apart = units("a\nb\nc\nd\n", [1, 1, 1, 1])
    assert list(keys_outdated_by_edit([apart[1], apart[3]], Replacement("b\nd\n", "x\n"))) == []
