"""What an edit makes of the slices that were read before it."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.compress.slicing import outdated
from loom.compress.worth.catalog import Catalog
from loom.compress.worth.edited import Change, changed, changes_of
from loom.compress.worth.slices import excerpt, lines_of
from loom.compress.worth.units import Unit, pieces_of
from loom_partitions.message import Call, Text
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act

TEXT = "".join(f"value_{n} = compute({n})\n" for n in range(1, 101))
NUMBERED = "".join(f"{n:6d}→value_{n} = compute({n})\n" for n in range(1, 101))
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


def shown(catalog: Catalog, path: str = "a.py") -> str:
    """What the slices of a file that was read show."""
    known = (catalog.units[key] for key in catalog.file(path))
    return "".join(unit.text for unit in known if unit.kind == "read")


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


@pytest.mark.parametrize("old", ["b\nc\n", "a\nb\nc\n", "b\nc\nd\n"])
def test_whole_lines_across_slices_are_shown_as_they_are(old: str) -> None:
    """An excerpt of all slices after an edit is the text of the file now."""
    found = units("a\nb\nc\nd\n", [2, 2])
    assert _excerpt(found, Change(old, "x\ny\n")) == "a\nb\nc\nd\n".replace(old, "x\ny\n")


@pytest.mark.parametrize("old", ["b\nc", "\nb\nc", "b\n"])
def test_lines_that_an_edit_joins_stay_joined(old: str) -> None:
    """An excerpt of neighbouring slices has no line end that the file has not."""
    found = units("a\nb\nc\nd\n", [2, 2])
    assert _excerpt(found, Change(old, "x")) == "a\nb\nc\nd\n".replace(old, "x")


def _excerpt(found: list[Unit], change: Change) -> str:
    """All slices of a text as a window shows them after an edit, without the words before them."""
    texts = dict(changed(found, change))
    shown = [replace(u, text=texts.get(u.key, u.text)) for u in found]
    return excerpt(pieces_of(shown), found[-1].last, "R") + "\n"


@all_cases(
    ("edits", "known"),
    [
        ([], True),
        ([("compute(7)", "compute(70)")], True),
        ([("value_7 = compute(7)\n", "value_7 = (\n    7\n)\n")], True),
        ([("value_95 = compute(95)\n", "")], True),
        ([("value_39 = compute(39)\nvalue_40 = compute(40)\nvalue_41 =", "joined =")], True),
        ([("value_7 = compute(7)\n", ""), ("value_8 = compute(8)\n", "x\ny\nz\n")], True),
        ([("nobody_read = this\n", "")], False),
        ([("nobody_read = this", "same = lines")], True),
    ],
)
def test_lines_are_numbered_as_the_file_is_now(
    opened: Open, edits: list[tuple[str, str]], known: bool
) -> None:
    """The number before a slice is where it stands after the edits; where nobody knows, none is."""
    ctx = opened()
    file = f"nobody_read = this\n{TEXT}"
    numbered = (f"{n:6d}→{line}\n" for n, line in enumerate(file.splitlines(), 1) if n > 1)
    act(ctx, "Read", {"path": "src/a.py", "offset": 2}, "".join(numbered))
    for old, new in edits:
        act(ctx, "Edit", {"path": "src/a.py", "old_string": old, "new_string": new}, "ok")
        file = file.replace(old, new)
    read = [unit for unit in catalog(ctx).units.values() if unit.kind == "read"]
    assert len(read) > 1 and all(bool(unit.line) == known for unit in read)
    lines = file.splitlines(keepends=True)
    for unit in read:
        numbers = {piece.number for piece in unit.pieces}
        assert numbers == {unit.line}
        if known:  # a slice may begin amid its line, behind what an edit put there
            begins = "".join(lines[unit.line - 1 :]).find(unit.text)
            assert 0 <= begins < len(lines[unit.line - 1])


@all_cases("text", [TEXT, NUMBERED], ids=["plain", "numbered"])
@all_cases(
    ("old", "new"),
    [
        ("compute(7)", "compute(70)"),
        ("value_39 = compute(39)\nvalue_40 = compute(40)\nvalue_41 =", "joined ="),
        ("value_1 = compute(1)\n", ""),
    ],
)
def test_the_catalog_shows_a_file_as_it_is_now(opened: Open, text: str, old: str, new: str) -> None:
    """After an edit the slices of a file that was read show it, and are found by its words."""
    ctx = opened()
    act(ctx, "Read", {"path": "src/a.py"}, text)
    before = {key: unit.text for key, unit in catalog(ctx).units.items()}
    act(ctx, "Edit", {"path": "src/a.py", "old_string": old, "new_string": new}, "ok")
    made = catalog(ctx)
    assert shown(made, "src/a.py") == TEXT.replace(old, new)
    for unit in made.units.values():
        assert unit.edited is (unit.text != before.get(unit.key, unit.text))
        assert [unit.tokens] == ctx._engine.sizes.count.many([unit.text])
    terms = [term for unit in made.units.values() for term in unit.terms]
    assert made.frequency == {term: terms.count(term) for term in terms}
    for term, keys in made.postings.items():
        assert set(keys) == {key for key, unit in made.units.items() if term in unit.terms}


def test_edit_after_edit(opened: Open) -> None:
    """An edit of what an edit made is followed, and one that takes it back leads to the start."""
    ctx = opened()
    act(ctx, "Read", {"path": "a.py"}, TEXT)
    for old, new in (("compute(7)", "once"), ("once", "twice"), ("twice", "compute(7)")):
        assert old in shown(catalog(ctx))
        act(ctx, "Edit", {"path": "a.py", "old_string": old, "new_string": new}, "ok")
    assert shown(catalog(ctx)) == TEXT


@pytest.mark.parametrize(
    ("path", "error"), [("a.py", True), ("b.py", False)], ids=["failed", "another file"]
)
def test_what_changes_nothing(opened: Open, path: str, error: bool) -> None:
    """An edit that failed, or of another file, leaves what is shown."""
    ctx = opened()
    act(ctx, "Read", {"path": "a.py"}, TEXT)
    edit = {"path": path, "old_string": "compute(7)", "new_string": "no"}
    act(ctx, "Edit", edit, "ok", error=error)
    made = catalog(ctx)
    assert shown(made) == TEXT
    assert not any(unit.edited for unit in made.units.values())


def test_what_is_read_again_is_as_it_was_read(opened: Open) -> None:
    """The slices of a reading after the edit are not marked as edited."""
    ctx = opened()
    act(ctx, "Read", {"path": "a.py"}, TEXT)
    act(ctx, "Edit", {"path": "a.py", "old_string": "compute(7)", "new_string": "no(7)"}, "ok")
    last = act(ctx, "Read", {"path": "a.py"}, TEXT.replace("compute(7)", "no(7)")).id
    assert not any(unit.edited for unit in catalog(ctx).of_entry[last])


def test_a_read_and_an_edit_in_one_step(opened: Open) -> None:
    """What was read is shown as an edit later in the same step left it."""
    ctx = opened()
    edit = {"path": "a.py", "old_string": "compute(7)", "new_string": "no(7)"}
    calls = (
        loom.ToolCall("r", "Read", '{"path": "a.py"}'),
        loom.ToolCall("e", "Edit", json.dumps(edit)),
    )
    ctx.reply(loom.Reply(calls))
    ctx.result(calls[0], TEXT)
    ctx.result(calls[1], "ok")
    assert "no(7)" in shown(catalog(ctx))


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


@all_cases("tool", ["Edit", "Write", "Read"])
@all_cases("sentence", ["The file was updated.\nHere it is, as `cat -n` has it:\n", ""])
def test_what_a_tool_shows_behind_a_sentence_is_the_file(
    opened: Open, tool: str, sentence: str
) -> None:
    """An old text of several lines is found in it, and its numbers are told once."""
    ctx = opened()
    told = sentence + "".join(f"{n:6d}→value_{n} = compute({n})\n" for n in range(740, 781))
    args = {"path": "src/a.py", "old_string": "x", "new_string": "y", "content": "z"}
    one = act(ctx, tool, args, told).id
    old = "value_744 = compute(744)\nvalue_745 = compute(745)\n"
    act(ctx, "Edit", {"path": "src/a.py", "old_string": old, "new_string": "one = 1\n"}, "ok")
    made = catalog(ctx)
    units = [unit for unit in made.of_entry[one] if unit.where == "result"]
    text = "".join(unit.text for unit in units)
    assert "value_743 = compute(743)\none = 1\nvalue_746" in text
    assert text.startswith(sentence)
    assert "→" not in text
    assert [unit.number for unit in units if unit.numbered] == [740]
    assert not made.stale & {unit.key for unit in units}
