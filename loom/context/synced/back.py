"""Where a host's list goes on from: the longest head of it that was known as a list of its own.

Whatever a host did to its list (edits, rewinds, ways back and forth, compactions taken back), what
it gives begins with a list it gave before, be it an empty one. The window that stood for that list
is in the journal, on whichever branch; from it the rest is taken in.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.engine.archive.host_list import KnownHead
from loom.engine.archive.workspace import Workspace


class ListBase(NamedTuple):
    """The commit whose window stands for the first `many` messages of a list."""

    many: int
    commit: int


def base_of(workspace: Workspace, keys: list[str]) -> ListBase:
    """The longest head of a list that was known, as it stood last. A step stands with all of its
    results or not at all."""
    found = (
        ListBase(one.many, _until(workspace, one)) for one in workspace.folded.host.heads(keys)
    )
    return next(one for one in found if not _is_within_step(workspace, one.commit))


def _until(workspace: Workspace, head: KnownHead) -> int:
    """The last commit of a window for the head alone: what the model noted behind it stands too."""
    then, after, index = head.then, head.after, workspace.index
    if after is None:
        return workspace.commits
    # Entries the host gave itself are older than the commit that says which message each is.
    entries, chain = list[int](), after.chain
    while chain is not None and chain is not then.chain:
        entries.append(chain[1].entry)
        chain = chain[0]
    commits = (one for entry in entries for one in index.commits.get(entry, ()))
    until = min((one for one in commits if one > then.commit), default=after.commit) - 1
    if after.compaction is None or after.compaction.before != then.commit:
        return until
    # A client compacted then: its renewal came before, behind the last request.
    made = (index.requests[turn] for turn in reversed(index.requests))
    return max(then.commit, next((one for one in made if one <= until), 0))


def _is_within_step(workspace: Workspace, commit: int) -> bool:
    commits = workspace.index.commits
    newest = next((commits[one] for one in reversed(commits) if commits[one][0] <= commit), ())
    return bool(newest) and newest[-1] > commit
