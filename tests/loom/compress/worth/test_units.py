"""The units of an entry."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.compress.worth.slices import ExcerptPart, lines_of, slices, unnumbered
from loom.compress.worth.units import LEAST, Unit, path_of, units_of, weighed
from loom.providers.counts import counter_for
from loom_partitions.message import Call, Step, Text, UserTurn
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.step import act

LONG = "".join(f"{n:04d} an ordinary line of text\n" for n in range(100))
COUNT = counter_for().many


def units(ctx: loom.Context, step: Step) -> tuple[Unit, ...]:
    """The units of a step that stands in full."""
    return units_of(step, ctx._engine.workspace.read, COUNT)


@all_cases(
    ("tool", "args", "result", "error", "kinds"),
    [
        ("Read", {"path": "a.py"}, "", False, set()),
        ("Read", {"path": "a.py"}, "short", False, set()),
        ("Read", {"path": "a.py"}, LONG, False, {"read"}),
        ("Bash", {"command": "make"}, LONG, False, {"shell"}),
        ("Bash", {"command": "make"}, LONG, True, {"error"}),
        ("Grep", {"pattern": "x"}, LONG, False, {"search"}),
        ("weather_on_mars", {}, LONG, False, {"other"}),
        ("Edit", {"path": "a.py", "old_string": LONG, "new_string": LONG}, "ok", False,
         {"old", "new"}),
        ("Write", {"path": "a.py", "content": LONG}, "ok", False, {"new"}),
        ("Task", {"prompt": LONG}, "ok", False, {"argument"}),
        ("Task", '{"prompt": "' + "broken " * 100, "ok", False, set()),
        ("Task", "[1, 2]" + " " * 100, "ok", False, set()),
        ("Read", {"path": "a/" * 200 + "a.py"}, "ok", False, set()),
    ],
)  # fmt: skip
def test_kinds(
    opened: Open, tool: str, args: dict[str, Any] | str, result: str, error: bool, kinds: set[str]
) -> None:
    """Short texts are no units; long results and arguments are, by what they are."""
    ctx = opened()
    assert {u.kind for u in units(ctx, act(ctx, tool, args, result, error=error))} == kinds


def test_a_text_of_the_model_is_one_unit(opened: Open) -> None:
    """However long, what the model said is one unit without lines."""
    ctx = opened()
    (unit,) = units(ctx, act(ctx, "Bash", {"command": "x"}, "ok", said=LONG))
    assert (unit.kind, unit.where, unit.first, unit.text) == ("said", "said", 0, LONG)


@given(st.text(alphabet=st.sampled_from("ab \n\t→1"), max_size=6_000))
def test_units_of_a_message_are_its_text(text: str) -> None:
    """A message long enough is its units joined, less the numbers before its lines; their keys
    differ, and their sizes are counted.
    """
    turn = UserTurn(7, Text(1, len(text), text), 5)
    found = units_of(turn, lambda page: "", COUNT)
    if found:
        lines = lines_of(text)
        for unit in found:
            whole = lines[unit.first - 1 : unit.last]
            assert unit.text == (unnumbered(whole)[0] if unit.numbered else "".join(whole))
        assert [(u.first, u.last) for u in found] == slices(lines)
        assert [unit.tokens for unit in found] == COUNT([unit.text for unit in found])
    else:
        assert len(text) < 60
    assert len({unit.key for unit in found}) == len(found)
    assert found == () or found[-1].last == len(lines_of(text))


def test_units_of_a_page_rest_in_the_page(opened: Open) -> None:
    """A result on a page is cut whole, under the page's name, though a preview is shown."""
    ctx = opened(window=8_000)
    step = act(ctx, "Read", {"path": "a.py"}, LONG * 20)
    found = units(ctx, step)
    assert {unit.key[:2] for unit in found} == {(step.outcomes[0].text.page, "")}
    assert "".join(unit.text for unit in found) == LONG * 20


def test_lines_of_the_file(opened: Open) -> None:
    """A read with line numbers knows which lines of the file each slice shows."""
    ctx = opened()
    text = "".join(f"{n:6d}→value_{n} = {n} and more of it\n" for n in range(201, 301))
    found = units(ctx, act(ctx, "Read", {"path": "a.py", "offset": 201}, text))
    assert [u.file_lines for u in found] == [(u.first + 200, u.last + 200) for u in found]
    assert found[-1].file_lines[1] == 300


@pytest.mark.exact
def test_arguments_shorter_than_a_unit_are_none(opened: Open) -> None:
    """An argument below LEAST tokens is no unit; one above is."""
    ctx = opened()
    step = act(ctx, "Task", {"prompt": "a" * 70, "context": "many words " * 30}, "ok")
    found = units(ctx, step)
    assert [unit.field for unit in found] == ["context"]
    assert all(unit.tokens >= LEAST for unit in found)


@all_cases(
    ("arguments", "path"),
    [
        ("", ""),
        ("{}", ""),
        ("{broken", ""),
        ('["a.py"]', ""),
        ('{"file_path": "src/a.py"}', "src/a.py"),
    ],
)
def test_path_of(arguments: str, path: str) -> None:
    """The file a call names, "" for none."""
    assert path_of(Call("c1", "Read", arguments, 9)) == path


def numbered(first: int, last: int, form: str = "{:6d}→") -> str:
    """Lines of a file as a tool numbers them."""
    return "".join(
        f"{form.format(n)}value_{n} = {n} and more of it\n" for n in range(first, last + 1)
    )


@pytest.mark.parametrize("form", ["{:6d}→", "{}\t"])
def test_numbers_are_no_part_of_a_unit(opened: Open, form: str) -> None:
    """Units of numbered lines are the lines of the file, counted so, and know their numbers."""
    ctx = opened()
    found = units(ctx, act(ctx, "Read", {"path": "a.py"}, numbered(201, 300, form)))
    assert "".join(unit.text for unit in found) == numbered(201, 300, "")
    assert all(unit.numbered for unit in found)
    assert [unit.tokens for unit in found] == COUNT([unit.text for unit in found])
    assert [next(unit.pieces) for unit in found] == [
        ExcerptPart((unit.first, unit.last), unit.text, unit.first + 200) for unit in found
    ]


def test_what_stands_behind_a_file_is_a_unit_of_its_own(opened: Open) -> None:
    """The words of a tool after numbered lines are not taken for lines of the file."""
    ctx = opened()
    text = numbered(1, 30) + "<note>The file is longer than what is shown here.</note>\n"
    one, two = units(ctx, act(ctx, "Read", {"path": "a.py"}, text))
    assert (one.numbered, one.file_lines) == (True, (1, 30))
    assert (two.numbered, two.text) == (False, text.splitlines(keepends=True)[-1])
    assert next(two.pieces).number == 0


@all_cases(
    ("tool", "asked", "number"),
    [
        ("Read", {}, 1),
        ("Read", {"offset": 201}, 201),
        ("Read", {"offset": 0}, 1),
        ("Read", {"offset": None, "limit": 100}, 1),
        ("Read", {"start_line": 5, "end_line": 104}, 5),
        ("Read", {"line_start": 9}, 9),
        ("Read", {"start": 4}, 4),
        ("Read", {"view_range": [7, 106]}, 7),
        ("Read", {"view_range": []}, 1),
        ("Read", {"view_range": "all"}, 1),
        ("Bash", {"command": "cat a.py", "offset": 7}, 0),
    ],
)
def test_a_read_begins_where_it_was_asked(
    opened: Open, tool: str, asked: dict[str, Any], number: int
) -> None:
    """Lines without numbers are those of the file from the line that the call named."""
    ctx = opened()
    found = units(ctx, act(ctx, tool, {"path": "a.py", **asked}, LONG.replace("0", "o")))
    plain = [unit for unit in found if unit.where == "result"]
    assert [unit.number for unit in plain] == [number and number + u.first - 1 for u in plain]
    assert not any(unit.numbered for unit in plain)
    assert all(next(unit.pieces).number == 0 for unit in plain)


@pytest.mark.parametrize("text", ["", "x", "many words " * 60])
def test_what_an_edit_is_about_counts_at_any_size(opened: Open, text: str) -> None:
    """The old and the new text of an edit are units, however short."""
    ctx = opened()
    edit = {"path": "a.py", "old_string": text, "new_string": f"{text}y"}
    found = units(ctx, act(ctx, "Edit", edit, "ok"))
    assert [(unit.kind, unit.text) for unit in found] == [("old", text), ("new", f"{text}y")]


def test_a_unit_is_weighed_by_its_text() -> None:
    """Tokens, terms and what it defines follow from the text; only source defines."""
    text = "def parse_args(x):\n    return run_all(x)\n"
    bare = Unit(("p", "", 1), "read", "result", 0, 0, text, "a.py")
    read = weighed(bare, 9)
    assert (read.tokens, read.text) == (9, text)
    assert {"parse_args", "run_all"} <= set(read.terms)
    assert "parse_args" in read.defines
    assert weighed(replace(bare, kind="shell"), 9).defines == ()
