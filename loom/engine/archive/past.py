"""The window as it stood at an earlier request, folded again from the journal.

A window is kept with a checkpoint now and then (`folded.APART`), so that going back in a long
session folds the commits since, not all of them.
"""

from __future__ import annotations

from loom.engine.archive.decode import records_of
from loom.engine.archive.folded import kept_window
from loom.engine.archive.workspace import Workspace
from loom.errors import LoomError
from loom_paging.checkpoint import past_commits
from loom_partitions.records import Turned
from loom_partitions.window import Window, apply, fold


class UnknownTurn(LoomError):
    """No request of that number was made."""

    def __init__(self, turn: object, last: int) -> None:
        there = f"they run from 1 to {last}" if last else "none was made yet"
        if isinstance(turn, int) and 0 < turn <= last:
            there = f"it was lost to damage before a repair; the last one is {last}"
        super().__init__(f"no request {turn!r}: {there}")


def check_turn(workspace: Workspace, turn: int) -> None:
    """Raise UnknownTurn where no request of that number was made."""
    if turn not in workspace.index.requests:
        raise UnknownTurn(turn, max(workspace.index.requests, default=0))


def window_then(workspace: Workspace, turn: int) -> Window:
    """The window as it stood at the end of the call that made a request.

    The fold goes on from where the last one asked for ended, or from a window that was kept, so
    requests that are asked for in their order read the journal once. Raises UnknownTurn, and what
    reading raises.
    """
    check_turn(workspace, turn)
    number, window = workspace.folded.then
    last = workspace.index.requests[turn]
    if not 0 < number <= last:
        number, window = _kept_before(workspace, last)
    if number < last:
        for commit in workspace.journal.scan(number):
            window = fold(records_of(commit), window)
            if commit.number == last:
                break
        workspace.folded.then = last, window
    return window


def window_at(workspace: Workspace, turn: int) -> Window:
    """The window request `turn` was made of; for 0 the one before any entry. Raises UnknownTurn,
    and what reading raises.

    It is folded from the newest window that was kept before it, else from the first commit.
    """
    if turn == 0:
        return _before_any(workspace)
    check_turn(workspace, turn)
    number, window = _kept_before(workspace, workspace.index.requests[turn])
    for commit in workspace.journal.scan(number):
        for record in records_of(commit):
            window = apply(window, record)
            if isinstance(record, Turned) and record.turn == turn:
                return window
    raise UnknownTurn(turn, max(workspace.index.requests, default=0))  # pragma: no cover


def window_behind(workspace: Workspace, commit: int) -> Window:
    """The window behind a commit. Raises what reading raises."""
    number, window = _kept_before(workspace, commit + 1)
    if number < commit:
        for one in workspace.journal.scan(number):
            window = fold(records_of(one), window)
            if one.number == commit:
                break
    return window


def _before_any(workspace: Workspace) -> Window:
    """The window before any entry of history."""
    window = Window()
    for commit in workspace.journal.scan(0):
        if commit.number > workspace.index.commit_of(0):
            break
        window = fold(records_of(commit), window)
    return window


def _kept_before(workspace: Workspace, commit: int) -> tuple[int, Window]:
    """The newest window that is kept from before a commit, and the commit it stood at."""
    for number in reversed(past_commits(workspace.store)):
        found = kept_window(workspace.store, number) if number < commit else None
        if found is not None:
            return number, found
    return 0, Window()
