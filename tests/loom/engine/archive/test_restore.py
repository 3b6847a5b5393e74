"""Entries brought back from the journal, one by one and many at once."""

from __future__ import annotations

import pytest

from loom.engine.archive.restore import UnknownEntry, arrived, arrived_since
from tests.kit.opened import Open, opened_with
from tests.kit.standins import work_of
from tests.kit.step import act

opened = opened_with()
TEXT = "".join(f"line {n} of an ordinary text\n" for n in range(90))


def test_none(opened: Open) -> None:
    """Asked for no entry, there is none, in an empty journal too."""
    assert list(arrived_since(opened()._engine.workspace, [])) == []


@pytest.mark.parametrize("skipped", [0, 1, 5])
def test_many_at_once_are_those_one_by_one(opened: Open, skipped: int) -> None:
    """The newest entries come back in order, each as it is alone, whatever was cut since."""
    ctx = opened(window=6_000)
    for number in range(12):
        ctx.user(f"Go on with {number}.")
        act(ctx, "Bash", {"command": f"run {number}"}, f"{number}\n{TEXT}")
        ctx.turn()
    assert ctx.window.sent.cuts
    workspace = ctx._engine.workspace
    ids = [id for id in sorted(workspace.index.commits) if id % 7 != 3][skipped:]
    assert [one.id for one in arrived_since(workspace, ids)] == ids
    assert list(arrived_since(workspace, ids)) == [arrived(workspace, id) for id in ids]


def test_an_entry_that_is_not_there(opened: Open) -> None:
    """Of entries one of which is unknown, it is said which."""
    ctx = opened()
    ctx.user("Go on.")
    with pytest.raises(UnknownEntry, match="99"):
        list(arrived_since(ctx._engine.workspace, [1, 99]))


def test_the_journal_is_read_in_runs(opened: Open) -> None:
    """Four times the entries take as many opened files."""
    works = []
    for number in (10, 40):
        ctx = opened(f"w{number}", window=500_000)
        for step in range(number):
            act(ctx, "Bash", {"command": f"run {step}"}, TEXT[:900])
        workspace = ctx._engine.workspace
        ids = sorted(workspace.index.commits)

        def read(event: str, frame: object, _given: object) -> bool:
            code = frame.f_code  # type: ignore[attr-defined]
            return event == "call" and code.co_name == "read" and "files" in code.co_filename

        works.append(work_of(lambda: list(arrived_since(workspace, ids)), read))  # noqa: B023
        alone = work_of(lambda: [arrived(workspace, id) for id in ids], read)  # noqa: B023
        assert alone >= number > works[-1]
    assert works[0] == works[1] > 0
