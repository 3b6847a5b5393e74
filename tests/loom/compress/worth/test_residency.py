"""Which units an entry shows."""

from __future__ import annotations

from msgspec.structs import replace

import loom
from loom.compress.worth.residency import holds, stands
from loom.compress.worth.shown import shown_of
from loom.compress.worth.units import Unit, units_of
from loom_partitions.message import Call, Detail, Said, Step, Text
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.step import act

LONG = "".join(f"{n:04d} an ordinary line of text\n" for n in range(100))


def lines(first: int, last: int) -> Unit:
    """A unit of these lines."""
    return Unit(("outputs/x.txt", "", first), "read", "result", 0, 9, "", first=first, last=last)


@all_cases(
    ("text", "held"),
    [
        (Text(9, 9, "whole"), True),
        (Text(9, 9, None, "outputs/x.txt"), True),
        (Text(9, 9, "short", "outputs/x.txt"), False),
        (Text(9, 9, "short", "outputs/x.txt", ((11, 20),)), True),
        (Text(9, 9, "short", "outputs/x.txt", ((1, 4), (10, 30))), True),
        (Text(9, 9, "short", "outputs/x.txt", ((11, 19),)), True),
        (Text(9, 9, "short", "outputs/x.txt", ((1, 10), (21, 40))), False),
    ],
)
def test_holds(text: Text, held: bool) -> None:
    """A whole text shows every line, a shortened one its ranges: a part of a unit is one too."""
    assert holds(text, lines(11, 20)) is held


def units(ctx: loom.Context, step: Step) -> tuple[Unit, ...]:
    """The units of a step as it came in."""
    return units_of(step, ctx._engine.workspace.read, ctx._engine.sizes.count.many)


def test_all_of_a_full_entry_stands(opened: Open) -> None:
    """An entry that came in whole shows all of its units, a line none."""
    ctx = opened()
    step = act(ctx, "Write", {"path": "a.py", "content": LONG}, LONG, said=LONG)
    found = units(ctx, step)
    assert {unit.where for unit in found} == {"said", "call", "result"}
    assert shown_of(step, tuple(found)).available == tuple(found)
    assert shown_of(replace(step, detail=Detail.REDUCED), tuple(found)).available == ()


def test_of_a_preview_all_is_available(opened: Open) -> None:
    """A text too large to enter shows none of its units yet, and may show any after a cut."""
    ctx = opened(window=8_000)
    step = act(ctx, "Read", {"path": "a.py"}, LONG * 20)
    found = units(ctx, step)
    assert not any(stands(step, unit) for unit in found)
    assert shown_of(step, tuple(found)).available == tuple(found)
    (outcome,) = step.outcomes
    chosen = replace(outcome, text=replace(outcome.text, lines=((found[1].first, found[1].last),)))
    cut = replace(step, outcomes=(chosen,), detail=Detail.SNIPPED)
    assert shown_of(cut, tuple(found)).available == (found[1],)


def test_parts_that_were_shortened(opened: Open) -> None:
    """An argument stands while its text is in the call; a shortened text of the model does not."""
    ctx = opened()
    args = {"path": "a.py", "old_string": LONG[:300], "new_string": LONG[300:700]}
    step = act(ctx, "Edit", args, "ok", said=LONG)
    found = units(ctx, step)
    said, call = step.parts
    assert isinstance(said, Said)
    assert isinstance(call, Call)
    without = call.arguments.replace(call.arguments.split('"')[7], "…")
    short = replace(
        step,
        parts=(
            Said(replace(said.text, body="0000 an", page="history/step_0001.json")),
            replace(call, arguments=without, page="history/step_0001.json"),
        ),
    )
    assert {unit.field or unit.kind: stands(short, unit) for unit in found} == {
        "said": False,
        "old_string": False,
        "new_string": True,
    }
