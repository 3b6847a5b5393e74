"""Replies the host gave and does not list: it lost them, or put others in their place.

A reply that was taken (`Context.reply`) and is not in the list the next time came from a request
that is made again: the process died before the host wrote its list, a stream broke, or a guard
refused the reply. The list is the host's word, so the window goes back to that request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from loom.engine import Engine
from loom.engine.archive.reading import UNREADABLE
from loom.engine.archive.restore import Restored, restore
from loom.engine.undo import undo
from loom.inputs import Reply
from loom.providers.formats.listing import ListedMessage
from loom_partitions.records import Joined


def drop_unlisted(
    engine: Engine,
    after: int,
    new: Sequence[ListedMessage],
    same: Callable[[Reply, Restored], bool],
) -> None:
    """Undo replies that came after an entry and behind the last one of them that `new` lists.

    `same` tells whether a listed reply is that of an entry.
    """
    listed = (one.reply for one in new if one.reply is not None)
    left: list[int] = []
    wanted = next(listed, None)
    for entry, found in _replies(engine, after):
        if wanted is not None and same(wanted, found):
            wanted, left = next(listed, None), []
        else:
            left.append(entry)
    if left:
        index = engine.workspace.index
        made = index.commits[left[0]][0]
        turns = (
            turn
            for turn, commit in index.requests.items()
            if commit <= made and not index.is_past(commit)
        )
        undo(engine, max(turns, default=0), brief=True)


def _replies(engine: Engine, after: int) -> Iterator[tuple[int, Restored]]:
    """Yield the replies that stand after an entry; not those Loom made of a child's result."""
    workspace = engine.workspace
    for entry in range(after + 1, engine.window.history.next_id):
        if entry not in workspace.index or workspace.index.is_undone(entry):
            continue
        commit = workspace.index.commits[entry][0]
        if any(isinstance(record, Joined) for record in workspace.records(commit)):
            continue
        try:
            found = restore(workspace, entry)
        except UNREADABLE:
            continue
        if found.reply is not None:
            yield entry, found
