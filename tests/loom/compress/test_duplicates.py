"""Micro: results the window holds twice."""

from typing import Any

import pytest

from loom.compress.duplicates import micro
from loom_partitions.edits import Shortened
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import scene
from tests.kit.step import step

FILE = "".join(f"x = {number}  # of the file\n" for number in range(60))
WHOLE = '{"path":"a.py"}'
PART = '{"path":"a.py","offset":5,"limit":10}'
WRITE = '{"path":"a.py","content":"x = 1"}'
Given = tuple[str, str, str]
READ: Given = ("read_file", WHOLE, FILE)
PIECE: Given = ("read_file", PART, FILE[:400])
LS: Given = ("Bash", '{"command":"ls"}', FILE)

# what happened, oldest first; the number of the step that becomes a reference, and to which
TABLE: list[Any] = [
    pytest.param([], None, id="nothing"),
    pytest.param([READ], None, id="one read"),
    pytest.param([READ, ("read_file", '{"path":"b.py"}', FILE)], (0, 1), id="the same text"),
    pytest.param([LS, ("Bash", '{"command":"ls"}', FILE[:-9])], None, id="a smaller answer"),
    pytest.param([("Bash", "{}", "ok"), ("Bash", "{}", "ok")], None, id="too short to matter"),
    pytest.param([("Bash", "{}", FILE[:199])] * 2, None, id="a byte too short to matter"),
    pytest.param([("Bash", "{}", FILE[:200])] * 2, (0, 1), id="long enough"),
    pytest.param([READ, PIECE], None, id="a part does not replace the whole"),
    pytest.param([READ, ("read_file", '{"path":"a.py","start_line":1,"end_line":9}', FILE[:300])],
     None, id="a part by start and end does not replace the whole"),
    pytest.param([READ, ("read_file", '{"path":"a.py","view_range":[1,9]}', FILE[:300])], None,
     id="a part by view_range does not replace the whole"),
    pytest.param([LS, LS], (0, 1), id="equal content"),
    pytest.param([READ, READ], (0, 1), id="read again"),
    pytest.param([PIECE, READ], (0, 1), id="the whole replaces a part"),
    pytest.param([READ, ("write_file", WRITE, "ok")], (0, 1), id="written later"),
]  # fmt: skip


@all_cases(("happened", "reference"), TABLE)
def test_table(opened: Open, happened: list[Given], reference: tuple[int, int] | None) -> None:
    """An old result becomes a reference exactly when a newer one makes it superfluous."""
    ctx = opened()
    ids = [step(ctx, text, tool=tool, args=args) for tool, args, text in happened]
    for _ in range(3):
        step(ctx, "done")
    edits = [edit for edit in micro(scene(ctx)) if isinstance(edit, Shortened)]
    assert [edit.entry for edit in edits] == ([ids[reference[0]]] if reference else [])
    if reference:
        assert f"step_{ids[reference[1]]:04d}" in str(edits[0].text.body)
        assert f"[superseded {ctx.window.config.mark}: " in str(edits[0].text.body)
        assert edits[0].text.marked
        restored = ctx.history.restore(ids[reference[0]])
        assert list(restored.results.values()) == [happened[reference[0]][2]]
