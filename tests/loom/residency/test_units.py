"""The units of an entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.measure import counter_for
from loom.residency.slices import lines_of
from loom.residency.units import LEAST, Unit, path_of, units_of
from partitions.message import Call, Step, Text, UserTurn

LONG = "".join(f"{n:04d} an ordinary line of text\n" for n in range(100))
COUNT = counter_for().many


def units(ctx: loom.Context, step: Step) -> tuple[Unit, ...]:
    """The units of a step that stands in full."""
    return units_of(step, ctx._engine.workspace.read, COUNT)


@pytest.mark.parametrize(
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
    opened: Callable[..., loom.Context],
    act: Callable[..., Step],
    tool: str,
    args: dict[str, Any] | str,
    result: str,
    error: bool,
    kinds: set[str],
) -> None:
    """Short texts are no units; long results and arguments are, by what they are."""
    ctx = opened()
    assert {u.kind for u in units(ctx, act(ctx, tool, args, result, error=error))} == kinds


def test_a_text_of_the_model_is_one_unit(
    opened: Callable[..., loom.Context], act: Callable[..., Step]
) -> None:
    """However long, what the model said is one unit without lines."""
    ctx = opened()
    (unit,) = units(ctx, act(ctx, "Bash", {"command": "x"}, "ok", said=LONG))
    assert (unit.kind, unit.where, unit.first, unit.text) == ("said", "said", 0, LONG)


@given(st.text(alphabet=st.sampled_from("ab \n\t→1"), max_size=6_000))
def test_units_of_a_message_are_its_text(text: str) -> None:
    """A message long enough is its units joined; their keys differ, and their sizes are counted."""
    turn = UserTurn(7, Text(1, len(text), text), 5)
    found = units_of(turn, lambda page: "", COUNT)
    if found:
        assert "".join(unit.text for unit in found) == text
        assert [unit.tokens for unit in found] == COUNT([unit.text for unit in found])
    else:
        assert len(text) < 60
    assert len({unit.key for unit in found}) == len(found)
    assert found == () or found[-1].last == len(lines_of(text))


def test_units_of_a_page_rest_in_the_page(
    opened: Callable[..., loom.Context], act: Callable[..., Step]
) -> None:
    """A result on a page is cut whole, under the page's name, though a preview is shown."""
    ctx = opened(window=8_000)
    step = act(ctx, "Read", {"path": "a.py"}, LONG * 20)
    found = units(ctx, step)
    assert {unit.key[:2] for unit in found} == {(step.outcomes[0].text.page, "")}
    assert "".join(unit.text for unit in found) == LONG * 20


def test_lines_of_the_file(opened: Callable[..., loom.Context], act: Callable[..., Step]) -> None:
    """A read with line numbers knows which lines of the file each slice shows."""
    ctx = opened()
    text = "".join(f"{n:6d}→value_{n} = {n} and more of it\n" for n in range(201, 301))
    found = units(ctx, act(ctx, "Read", {"path": "a.py", "offset": 201}, text))
    assert [u.file_lines for u in found] == [(u.first + 200, u.last + 200) for u in found]
    assert found[-1].file_lines[1] == 300


def test_arguments_shorter_than_a_unit_are_none(
    opened: Callable[..., loom.Context], act: Callable[..., Step]
) -> None:
    """An argument below LEAST tokens is no unit; one above is."""
    ctx = opened()
    step = act(ctx, "Task", {"prompt": "a" * 70, "context": "many words " * 30}, "ok")
    found = units(ctx, step)
    assert [unit.field for unit in found] == ["context"]
    assert all(unit.tokens >= LEAST for unit in found)


@pytest.mark.parametrize(
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
