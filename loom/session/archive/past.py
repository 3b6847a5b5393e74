"""The journal folded again: the window at an earlier request.

A window is kept with a checkpoint now and then (`folded.APART`), so that going back in a long
session folds the commits since, not all of them.
"""

from __future__ import annotations

from loom.errors import BadInput
from loom.session.archive.decode import records_of
from loom.session.archive.folded import kept_window
from loom.session.archive.workspace import Workspace
from loom_paging.checkpoint import past_commits
from loom_partitions.records import Turned
from loom_partitions.window import Window, apply, fold


def check_turn(workspace: Workspace, turn: int) -> None:
    """Raise BadInput where no request of that number was made."""
    if turn in workspace.index.requests:
        return
    last = max(workspace.index.requests, default=0)
    there = f"they run from 1 to {last}" if last else "none was made yet"
    if isinstance(turn, int) and 0 < turn <= last:
        there = f"it was lost to damage before a repair; the last one is {last}"
    raise BadInput(f"no request {turn!r}: {there}")


def window_then(workspace: Workspace, turn: int) -> Window:
    """The window as it stood at the end of the call that made a request.

    The fold goes on from where the last one asked for ended, so requests that are asked for in
    their order read the journal once. Raises BadInput, and what reading raises.
    """
    check_turn(workspace, turn)
    last = workspace.index.requests[turn]
    window = window_behind(workspace, last, workspace.folded.then)
    workspace.folded.then = last, window
    return window


def window_at(workspace: Workspace, turn: int) -> Window:
    """The window request `turn` was made of; for 0 the one before any entry. Raises BadInput,
    and what reading raises."""
    if turn == 0:
        return window_behind(workspace, workspace.index.commit_of(0))
    check_turn(workspace, turn)
    number = workspace.index.requests[turn]
    window = window_behind(workspace, number - 1)
    for record in workspace.records(number):
        window = apply(window, record)
        if isinstance(record, Turned) and record.turn == turn:
            break
    return window


def window_behind(
    workspace: Workspace, commit: int, known: tuple[int, Window] = (0, Window())
) -> Window:
    """The window behind a commit, folded from one `known` from before it, else from the newest
    that was kept, else from the first commit. Raises what reading raises."""
    if commit <= 0:
        return Window()
    number, window = known if 0 < known[0] <= commit else _kept_before(workspace, commit + 1)
    for one in workspace.journal.scan(number) if number < commit else ():
        window = fold(records_of(one), window)
        if one.number == commit:
            break
    return window


def _kept_before(workspace: Workspace, commit: int) -> tuple[int, Window]:
    """The newest window that is kept from before a commit, and the commit it stood at."""
    for number in reversed(past_commits(workspace.store)):
        found = kept_window(workspace.store, number) if number < commit else None
        if found is not None:
            return number, found
    return 0, Window()
