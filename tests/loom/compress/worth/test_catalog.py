"""The catalog: what is known, what was used, what is superseded."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from msgspec.structs import replace

from loom.compress.slicing import outdated
from loom.compress.worth.catalog import Catalog
from loom_partitions.message import PagedIn, Step, Text, UserTurn
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act


def numbered(first: int, last: int, word: str = "value") -> str:
    """Lines of a file as a tool numbers them."""
    return "".join(f"{n:5d}→{word}_{n} = compute({n})\n" for n in range(first, last + 1))


PLAIN = "".join(f"line {n} of an ordinary text\n" for n in range(90))
OTHER = PLAIN.replace("ordinary", "another")
BARE = "".join(f"value_{n} = compute({n})\n" for n in range(1, 101))
OLD = "".join(f"    old_line_{n} = compute({n})\n" for n in range(12))
NEW = "".join(f"    new_line_{n} = compute({n})\n" for n in range(12))
READ = ("Read", {"path": "src/a.py"}, numbered(1, 100))
EDIT = ("Edit", {"path": "src/a.py", "old_string": OLD, "new_string": NEW}, "ok")
PART = ("Read", {"path": "/r/src/a.py", "offset": 50}, numbered(50, 150))
WRITE = ("Write", {"path": "src/a.py", "content": PLAIN}, "ok")
RUN = ("Bash", {"command": "make"}, PLAIN)
PLAN = ("TodoWrite", {"todos": [{"content": "x"}], "note": "word " * 40}, PLAIN)


@all_cases(
    ("first", "second", "stale"),
    [
        (READ, ("Read", {"path": "src/b.py"}, numbered(1, 100, "other")), set()),
        (READ, ("Bash", {"command": "cat src/a.py"}, numbered(1, 100, "other")), set()),
        (RUN, ("Bash", {"command": "make test"}, OTHER), set()),
        (READ, ("Read", {"path": "src/b.py"}, numbered(1, 100)), {"all"}),
        (READ, ("Bash", {"command": "cat src/a.py"}, numbered(1, 100)), {"all"}),
        (RUN, ("Bash", {"command": "make test"}, PLAIN), {"all"}),
        (READ, ("Bash", {"command": "cat src/b.py"}, BARE), {"all"}),
        (READ, ("Bash", {"command": "tail src/b.py"}, numbered(41, 90)), {"again"}),
        (READ, EDIT, {"edit"}),
        (READ, ("Read", {"path": "/r/src/a.py"}, numbered(1, 100)), {"all"}),
        (READ, PART, {"covered"}),
        (READ, WRITE, {"all"}),
        (RUN, RUN, {"all"}),
        (EDIT, ("Edit", {"path": "src/a.py", "old_string": NEW, "new_string": OLD}, "ok"), {"all"}),
    ],
)  # fmt: skip
def test_superseded(opened: Open, first: Any, second: Any, stale: set[str]) -> None:
    """What a later read covers, a write replaces, an edit undoes, the same question answers, or
    stands again word for word.
    """
    ctx = opened()
    one = act(ctx, *first).id
    act(ctx, *second)
    made = catalog(ctx)
    units = made.of_entry[one]
    expected = {
        "all": [u.key for u in units],
        "covered": [u.key for u in units if u.first >= 50],
        "again": [u.key for u in units if u.first == 41],
    }.get(next(iter(stale), ""), [u.key for u in units if u.kind == "old"])
    assert {u.key for u in units if u.key in made.stale} == set(expected)
    assert units


FAILED = (
    ("Read", {"path": "src/a.py"}, "no such file in the folder of the project, look elsewhere\n"),
    ("Write", {"path": "src/a.py", "content": OTHER}, "read only"),
    ("Bash", {"command": "make"}, "make: it went wrong, and nothing of it was made after all\n"),
    ("Edit", {"path": "src/a.py", "old_string": "value_1 =", "new_string": NEW}, "not unique"),
)
AGAIN = (
    READ,
    WRITE,
    RUN,
    ("Edit", {"path": "src/a.py", "old_string": BARE, "new_string": NEW}, "not found"),
)


@all_cases("second", [*FAILED, *AGAIN])
def test_what_failed_supersedes_nothing(opened: Open, second: Any) -> None:
    """A call that failed leaves what was known, be it that it says the same word for word."""
    ctx = opened()
    act(ctx, *READ)
    act(ctx, *RUN)
    last = act(ctx, *second, error=True).id
    made = catalog(ctx)
    own = {unit.key for unit in made.of_entry[last]}
    assert not made.stale - own


def test_an_edits_old_text_is_superseded_at_once(opened: Open) -> None:
    """What an edit took out is stale from the start, what it put in is not."""
    ctx = opened()
    act(ctx, *EDIT)
    made = catalog(ctx)
    assert {unit.kind: key in made.stale for key, unit in made.units.items()} == {
        "old": True,
        "new": False,
    }


def test_the_whole_state_supersedes_the_one_before(opened: Open) -> None:
    """A list of things to do replaces the last one, whatever its arguments."""
    ctx = opened()
    one = act(ctx, *PLAN).id
    two = act(ctx, PLAN[0], {"todos": [], "note": "other " * 40}, PLAIN).id
    made = catalog(ctx)
    assert all(unit.key in made.stale for unit in made.of_entry[one])
    assert not any(unit.key in made.stale for unit in made.of_entry[two])


@all_cases(
    ("tool", "args", "result", "lines"),
    [
        ("Bash", {"command": "make"}, "nothing", ()),
        ("Read", {"path": "src/b.py"}, "other", ()),
        ("Grep", {"pattern": "x"}, "src/a.py:55: x", (55,)),
        ("Edit", {"path": "src/a.py", "old_string": "value_70 = compute(70)", "new_string": ""},
         "ok", (70,)),
        ("Bash", {"command": "wc src/a.py"}, "ok", tuple(range(1, 101))),
    ],
)  # fmt: skip
def test_touched(opened: Open, tool: str, args: Any, result: str, lines: Any) -> None:
    """A file that is named is used whole, a place or an edit uses the slice that holds it most."""
    ctx = opened()
    act(ctx, *READ)
    last = act(ctx, tool, args, result).id
    made = catalog(ctx)
    units = [u for u in made.units.values() if u.path == "src/a.py" and u.kind == "read"]
    weight = {u.key: max((w for _, w in list(made.uses[u.key])[1:]), default=0) for u in units}
    best = max(weight.values())
    found = {
        line for u in units if best and weight[u.key] == best and made.hit[u.key] == last
        for line in range(u.file_lines[0], u.file_lines[1] + 1)
    }  # fmt: skip
    assert set(lines) <= found
    assert bool(lines) == bool(found)
    assert len(lines) != 1 or len(found) < 100


def test_each_entry_once(opened: Open) -> None:
    """An entry noted again changes nothing."""
    ctx = opened()
    step = act(ctx, *READ)
    made = catalog(ctx)
    before = (made.clock, dict(made.units), dict(made.frequency), len(made.recent))
    made.note(step, ctx._engine.workspace.read)
    assert before == (made.clock, made.units, made.frequency, len(made.recent))


@pytest.mark.parametrize(
    "files",
    [
        4,
        10,
    ],
)
def test_the_oldest_are_forgotten(
    opened: Open, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    """The catalog keeps the newest units, and its indexes hold nothing of the others."""
    monkeypatch.setattr("loom.compress.worth.catalog.MOST", 20)
    ctx = opened(window=200_000)
    for number in range(20):
        text = "".join(f"{number}_{n} word_{number}\n" for n in range(90))
        act(ctx, "Read", {"path": f"file_{number % files}.py"}, text)
    made = Catalog(ctx._engine.sizes.count.many)
    for entry in ctx.window.history.stream.entries:
        assert isinstance(entry, Step)
        made.note(entry, ctx._engine.workspace.read)
        assert len(made.units) <= 20
    assert len(made.units) > 10
    held = [set(made.uses), set(made.hit), {u.key for us in made.of_entry.values() for u in us}]
    assert all(keys == set(made.units) for keys in held)
    assert {key for keys in made.postings.values() for key in keys} <= set(made.units)
    assert "word_0" not in made.frequency
    assert all(made.frequency[term] == len(keys) for term, keys in made.postings.items())
    assert made.stale <= set(made.units)
    assert all(set(made.file(f"file_{n}.py")) <= set(made.units) for n in range(files))


def test_what_repeats_is_held_by_the_units_that_stand(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of runs that were repeated, of the entries of units, of long arguments nothing is held that
    no unit needs."""
    monkeypatch.setattr("loom.compress.worth.catalog.MOST", 20)
    ctx = opened(window=200_000)
    for number in range(20):
        text = "".join(f"{number}_{n} word\n" for n in range(90))
        act(ctx, "Bash", {"command": "make"}, text)
        act(ctx, "lookup", {"query": f"{number} " * 2_000}, text)
    made = Catalog(ctx._engine.sizes.count.many)
    for entry in ctx.window.history.stream.entries:
        assert isinstance(entry, Step)
        made.note(entry, ctx._engine.workspace.read)
    assert made.reruns.earlier
    assert made.reruns.earlier | set(made._entry) <= set(made.units)
    questions = [part for question in made._asked for part in question]
    assert sum(map(sys.getsizeof, questions)) < 200 * len(made._asked)


@pytest.mark.parametrize("second", ["view", "create"])
def test_a_tool_with_several_faces(opened: Open, second: str) -> None:
    """A view of the same lines and a file created anew supersede the view before."""
    ctx = opened()
    tool = "str_replace_based_edit_tool"
    one = act(ctx, tool, {"command": "view", "path": "a.py"}, numbered(1, 100)).id
    faces: dict[str, dict[str, Any]] = {
        "view": {"view_range": [1, 100]},
        "create": {"file_text": PLAIN},
    }
    more = faces[second]
    result = numbered(1, 100) if second == "view" else "ok"
    act(ctx, tool, {"command": second, "path": "a.py", **more}, result)
    made = catalog(ctx)
    assert all(unit.key in made.stale for unit in made.of_entry[one])


def test_texts_without_lines_are_not_compared(opened: Open) -> None:
    """An argument too short to have lines supersedes nothing by being the same."""
    ctx = opened()
    one = act(ctx, "Task", {"prompt": "many words " * 30}, "ok").id
    act(ctx, "Task", {"prompt": "many words " * 30, "more": "x"}, "ok")
    made = catalog(ctx)
    assert not any(unit.key in made.stale for unit in made.of_entry[one])


def test_what_was_edited_stands_nowhere_else(opened: Open) -> None:
    """A slice that an edit changed is not superseded by its text before the edit."""
    ctx = opened()
    one = act(ctx, *READ).id
    edit = {"path": "src/a.py", "old_string": "compute(3)", "new_string": "changed(3)"}
    act(ctx, "Edit", edit, "ok")
    act(ctx, "Read", {"path": "src/b.py"}, numbered(1, 100))
    made = catalog(ctx)
    first = made.of_entry[one][0]
    assert "changed(3)" in first.text
    assert first.key not in made.stale


def back(made: Catalog, text: str, source: str) -> UserTurn:
    """An entry that shows known lines again."""
    id = made.newest + 1
    return UserTurn(id, Text(9, len(text), text, source, ((1, 40),)), 12, source=source)


def test_what_was_read_ahead_is_known(opened: Open) -> None:
    """An entry, and a step, that shows a slice again holds its unit; it is none of their own."""
    ctx = opened()
    one = act(ctx, *READ)
    made = catalog(ctx)
    unit = made.of_entry[one.id][0]
    entry = back(made, unit.text, unit.key[0])
    newest, clock = entry.id, made.clock
    made.ahead(entry)
    made.ahead(entry)
    assert made.of(entry) == (replace(unit, where="user", at=0),)
    assert (made.newest, made.clock) == (newest, clock)
    assert not made.stale
    step = Step(newest + 1, (), 9, beside=(PagedIn(unit.key[0], entry.text),))
    assert made.of(step) == (replace(unit, where="beside", at=0),)
    own = replace(one, beside=step.beside)
    assert made.of(own) == made.of_entry[one.id]
    assert not made.of(replace(step, beside=(PagedIn("outputs/other.txt", entry.text),)))


def test_an_edit_changes_what_was_read_ahead(opened: Open) -> None:
    """A slice shown by two entries is after an edit the same new one in both."""
    ctx = opened()
    one = act(ctx, *READ).id
    made = catalog(ctx)
    unit = made.of_entry[one][0]
    entry = back(made, unit.text, unit.key[0])
    made.ahead(entry)
    ctx.user("a turn between, so that ids go on")
    edit = {"path": "src/a.py", "old_string": "compute(3)", "new_string": "changed(3)"}
    step = act(ctx, "Edit", edit, "ok")
    made.note(step, ctx._engine.workspace.read)
    (shown,) = made.of(entry)
    assert replace(shown, where="result") == made.of_entry[one][0] == made.units[unit.key]
    assert shown.edited
    assert "changed(3)" in shown.text
    assert outdated(entry.text, [shown])
    assert sum(held.key == unit.key for held in made.of_entry[one]) == 1


REFUSAL = "<tool_use_error>The text to be replaced was not found in this file</tool_use_error>"


@all_cases("error", [True, False])
@all_cases(
    ("then", "settled"),
    [
        (("Edit", {"path": "src/b.py", "old_string": OLD, "new_string": NEW}, "ok"), False),
        (READ, False),
        (RUN, False),
        (EDIT, True),
        (("Edit", {"path": "/r/src/a.py", "old_string": "x", "new_string": "y"}, "ok"), True),
    ],
)
def test_an_error_is_over_when_the_same_succeeds(
    opened: Open, error: bool, then: Any, settled: bool
) -> None:
    """What a tool refused for a file is old once it does the like to that file."""
    ctx = opened()
    tool, args, _ = EDIT
    failed = act(ctx, tool, args, REFUSAL, error=error).id
    act(ctx, *then)
    made = catalog(ctx)
    (said,) = [unit for unit in made.of_entry[failed] if unit.where == "result"]
    assert said.kind == "error"
    assert (said.key in made.stale) is settled
