"""The journal folded again: the window at an earlier request; a checkpoint held against it all.

A window is kept with a checkpoint now and then (`folded.APART`), so that going back in a long
session folds the commits since, not all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loom.errors import BadInput
from loom.session.archive.decode import records_of
from loom.session.archive.folded import FoldedJournal, kept_window
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


def untrue(workspace: Workspace) -> list[str]:
    """The differences between a checkpoint and the journal; none where no checkpoint is in use.

    A checkpoint that is damaged, or of another version of Loom, is not in use.
    """
    kept, folded = FoldedJournal.newest(workspace.store), FoldedJournal(workspace.store)
    for commit in workspace.journal.scan():
        if commit.number > kept.commits:
            break
        folded.take(commit)
    pairs = zip(_parts(kept), _parts(folded), strict=True)
    return [
        f"{name} is another one than the journal folds to at commit {kept.commits}"
        for (name, one), (_, other) in pairs
        if one != other
    ] + [*_untrue_past(workspace)]


def _untrue_past(workspace: Workspace) -> Iterator[str]:
    """Yield what is wrong with the windows that are kept from the past, where they are in use."""
    store, window = workspace.store, Window()
    kept = {number: kept_window(store, number) for number in past_commits(store)}
    for commit in workspace.journal.scan() if any(kept.values()) else ():
        window = fold(records_of(commit), window)
        if kept.get(commit.number) not in (None, window):
            yield (
                f"the window kept from commit {commit.number} is another one than the journal"
                " folds to"
            )


def _parts(folded: FoldedJournal) -> list[tuple[str, Any]]:
    """The parts of a fold that are compared, by name."""
    index = folded.index
    return [
        ("the window", folded.window),
        ("the count of pages", folded.pages),
        ("the time of commits", (folded.began, folded.at)),
        ("the newest snapshot", folded.snapshotted),
        ("the page table", dict(folded.pager.table)),
        ("the list of retired pages", dict(folded.pager.retired)),
        ("the list of promoted pages", folded.promoted),
        ("the uses of pages", (index.used, index.pages, index.typed)),
        ("the index of entries", index.commits),
        ("the index of items", index.items),
        ("the index of requests", index.requests),
        ("the index of calls", index.calls),
        ("the index of keys", index.keys),
        ("the list of goals", index.goals),
        ("the index of agents", (index.spawned, index.joined)),
        ("the count of steps", (index.steps, index.turns)),
        ("the index of files read and edited", index.since.rows),
    ]
