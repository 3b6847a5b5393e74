"""Calls that had no room for their arguments, and what they changed all the same."""

import json

import pytest

from loom.compress.worth.acts import call_as_made
from loom.compress.worth.edited import replacements_by_file
from loom.compress.worth.working_set import WorkingSet
from loom_partitions.message import Call
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.step import act

FAR = "\n".join(f"far_{number} = {number}" for number in range(60))
OLD = "".join(f"    rate_{n} = legacy(region={n}, year=2019)\n" for n in range(200))
NEW = OLD.replace("legacy", "modern")
SHORT = Call("c1", "Edit", '{"path":"src/a.py","old_string":"ra…"}', 9, "outputs/reply_0001.json")


@all_cases("page", ["", "no JSON", "[1]", '{"type":"reply","parts":[]}'])
def test_a_call_without_its_page_changed_it_knows_not_what(page: str) -> None:
    """Its page is gone or another's: any line of the file may have changed."""
    call = call_as_made(SHORT, lambda _: page)
    assert call == SHORT
    assert list(replacements_by_file(call)) == [("src/a.py", None)]
    patch = "*** Begin Patch\n*** Update File: b.py\n@@\n-x\n… 9 bytes rest"
    cut = Call("c1", "apply_patch", json.dumps({"patch": patch}), 9, "outputs/reply_0001.json")
    assert list(replacements_by_file(cut)) == [("b.py", None)]


@pytest.mark.parametrize("kept", [True, False])
def test_a_large_edit_is_known_whole(opened: Open, kept: bool) -> None:
    """The lines it replaced are superseded; where it cannot be read, all of the file are."""
    ctx = opened(window=8_192)
    one = act(ctx, "Read", {"path": "src/a.py"}, f"{FAR}\n\ndef table():\n{OLD}").id
    step = act(ctx, "Edit", {"path": "src/a.py", "old_string": OLD, "new_string": NEW}, "ok")
    assert step.calls[0].page
    made = WorkingSet(ctx._engine.sizes.count.many)
    for entry in ctx.window.history.stream.entries:
        made.note(entry, lambda page: ctx._engine.read(page) if kept or "reply" not in page else "")
    shown = [unit for unit in made.of_entry[one] if unit.where == "result"]
    left = [unit for unit in shown if unit.key not in made.stale]
    assert bool(left) is kept and len(left) < len(shown)
    assert all(unit.text in f"{FAR}\n\n" for unit in left)
