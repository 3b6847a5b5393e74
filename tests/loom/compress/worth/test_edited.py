"""What an edit makes of the slices that were read before it."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.compress.slicing import outdated
from loom.compress.worth.edited import Change, changed, changes_of
from loom.compress.worth.slices import lines_of
from loom.compress.worth.units import Unit
from loom_partitions.message import Call, Text
from tests.kit.cases import all_cases

SLICES = st.lists(st.integers(1, 6), min_size=1, max_size=4)
LINES = st.lists(st.sampled_from(["a", "b", "ab", ""]), min_size=1, max_size=12)


def units(text: str, sizes: list[int], page: str = "outputs/read_0001.txt") -> list[Unit]:
    """The slices of a text that was read, of so many lines each; the last takes what is left."""
    lines = lines_of(text)
    ends = [end for end in accumulate(sizes) if end < len(lines)]
    return [
        Unit((page, "", first + 1), "read", "result", 0, 9, "".join(lines[first:last]),
             "a.py", first=first + 1, last=last)
        for first, last in pairwise([0, *ends, len(lines)])
    ]  # fmt: skip


def after(found: list[Unit], change: Change) -> str:
    """What all the slices show after an edit."""
    texts = {unit.key: unit.text for unit in found} | dict(changed(found, change))
    return "".join(texts.values())


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
        ({"path": "a.py", "old_string": "x", "new_string": "y"}, [("a.py", Change("x", "y"))]),
        ({"path": "a.py", "old_str": "x"}, [("a.py", Change("x", ""))]),
        ({"path": "a.py", "oldText": "x", "newText": "y"}, [("a.py", Change("x", "y"))]),
        (
            {"path": "a.py", "old_string": "x", "new_string": "y", "replace_all": True},
            [("a.py", Change("x", "y", True))],
        ),
        (
            {"path": "a.py", "old_string": "x", "new_string": "y", "replaceAll": "no"},
            [("a.py", Change("x", "y"))],
        ),
        (
            {"path": "a.py", "edits": [{"oldString": "x", "newString": "y"}, {"old": "z"}, 3]},
            [("a.py", Change("x", "y")), ("a.py", Change("z", "")), ("a.py", None)],
        ),
        (
            {"patch": PATCH},
            [("src/a.py", Change("kept\nx\n", "kept\ny\n")), ("b.py", Change("gone\n", ""))],
        ),
        (PATCH, [("src/a.py", Change("kept\nx\n", "kept\ny\n")), ("b.py", Change("gone\n", ""))]),
    ],
)
def test_what_an_edit_replaces(
    arguments: dict[str, Any] | str, changes: list[tuple[str, Change | None]]
) -> None:
    """Pairs of old and new text, once or everywhere, or a patch's; None where nothing tells."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    assert list(changes_of(Call("c1", "Edit", text, 9))) == changes


@given(LINES, SLICES, st.data())
def test_slices_show_the_file_after_an_edit(
    lines: list[str], sizes: list[int], data: st.DataObject
) -> None:
    """Where the old text stands in one place of at most two slices, they show the file as it is."""
    text = "".join(f"{line}{n}\n" for n, line in enumerate(lines))
    found = units(text, sizes)
    start = data.draw(st.integers(0, len(text) - 1))
    at = next(at for at, end in enumerate(_ends(found)) if start < end)
    last = _ends(found)[min(at + 1, len(found) - 1)]
    old = text[start : data.draw(st.integers(start + 1, last))]
    new = data.draw(st.sampled_from(["", "x", "x\n", "x\ny\nz\n", old * 2]))
    if text.count(old) == 1:
        assert after(found, Change(old, new)) == text.replace(old, new)


def _ends(found: list[Unit]) -> list[int]:
    """Where in the whole text each slice ends."""
    return list(accumulate(len(unit.text) for unit in found))


@given(LINES, SLICES, st.sampled_from(["a", "b", "ab", "b\n"]), st.sampled_from(["", "c", "aa"]))
def test_everywhere_is_everywhere_in_a_slice(
    lines: list[str], sizes: list[int], old: str, new: str
) -> None:
    """An edit of all places changes every slice that shows one."""
    found = units("".join(f"{line}\n" for line in lines), sizes)
    for unit in found:
        assert after([unit], Change(old, new, True)) == unit.text.replace(old, new)


def test_what_stands_twice_is_not_guessed() -> None:
    """Without `replace_all` a slice that shows the old text twice stays as it is."""
    found = units("x = 1\ny = 2\nx = 1\n", [9])
    assert list(changed(found, Change("x = 1", "x = 3"))) == []
    assert after(found, Change("x = 1", "x = 3", True)) == "x = 3\ny = 2\nx = 3\n"


@all_cases(
    ("kind", "where", "seen"),
    [
        ("read", "result", True),
        ("edit", "result", True),
        ("write", "result", True),
        ("shell", "result", False),
        ("error", "result", False),
        ("new", "call", False),
        ("old", "call", False),
    ],
)
def test_only_what_shows_the_file_changes(kind: str, where: Any, seen: bool) -> None:
    """A slice that was read, or what an edit answered; no output, no argument."""
    unit = Unit(("step_0001", "", 1), kind, where, 0, 9, "one\n", "a.py", first=1, last=1)
    assert bool(list(changed([unit], Change("one", "two")))) is seen


def test_two_pages_are_no_neighbours() -> None:
    """The end of one reading and the start of another make no text between them."""
    found = [*units("a\nb\n", [9]), *units("c\nd\n", [9], "outputs/read_0002.txt")]
    assert list(changed(found, Change("b\nc\n", "x\n"))) == []
    apart = units("a\nb\nc\nd\n", [1, 1, 1, 1])
    assert list(changed([apart[1], apart[3]], Change("b\nd\n", "x\n"))) == []


def test_everywhere_is_everywhere_across_slices() -> None:
    """A place in a slice and one across its end are both changed by an edit of all places."""
    text = "x\nfoo\nbar\nfoo\nbar\nz\n"
    assert after(units(text, [4, 2]), Change("foo\nbar\n", "new\n", True)) == "x\nnew\nnew\nz\n"


def test_what_stands_in_two_slices_is_not_guessed() -> None:
    """Without `replace_all` an old text in two slices of one reading changes neither."""
    found = units("x = 1\ny = 2\nx = 1\nz = 3\n", [2, 2])
    assert list(changed(found, Change("x = 1", "x = 3"))) == []


@pytest.mark.parametrize(
    ("body", "lines", "seen"),
    [
        ("one\ntwo\n", (), True),
        ("one\ntwo\nthree", ((1, 3),), True),
        ("[with your edits since]\none\nchanged\nthree", ((1, 3),), False),
    ],
)
def test_a_text_is_outdated_until_it_shows_the_edit(
    body: str, lines: tuple[tuple[int, int], ...], seen: bool
) -> None:
    """A text that stands without the new lines of an edited slice shows what is no longer."""
    text = "one\nchanged\nthree\n"
    unit = Unit(("p", "", 1), "read", "result", 0, 9, text, first=1, last=3, edited=True)
    assert outdated(Text(1, len(body), body, "p", lines), [unit]) is seen


@pytest.mark.parametrize("left", ["", "one\n", "two\n"])
def test_a_text_is_outdated_by_lines_that_were_taken_out(left: str) -> None:
    """An edit that only takes lines away leaves a text that shows too much."""
    unit = Unit(("p", "", 1), "read", "result", 0, 9, left, first=1, last=2, edited=True)
    assert outdated(Text(1, 8, "one\ntwo\n"), [unit])
