"""Where a host's list goes back to: from which commit on all is undone that it took back."""

from __future__ import annotations

from typing import NamedTuple

from loom.engine.archive.workspace import Workspace


class TakenBack(NamedTuple):
    """The first commit to undo, 0 for none, and how many messages of the list stand then; None
    where it is the list from before a client compacted."""

    commit: int
    stands: int | None


def taken_back(workspace: Workspace, keep: int) -> TakenBack:
    """What to undo, so that no more than `keep` messages of the list stand.

    What the model noted before the message that was taken back stands, too. A step stands with all
    of its results or not at all. Where a client compacted since, all is undone behind the last
    request before that.
    """
    host, index = workspace.folded.host, workspace.index
    first = since = 0
    for commit, many in host.states():
        if not index.is_left(commit) and (many is None or many <= keep):
            if many is None:
                return TakenBack(_behind_request(workspace, first), None)
            since = commit
            break
        first = commit
    if not first:
        return TakenBack(0, len(host))
    # Entries the host gave itself are older than the commit that says which message each is.
    entries = (index.commits.get(one.entry, ()) for one in host.messages[keep:])
    first = min((one for commits in entries for one in commits if one > since), default=first)
    made = map(index.commits.__getitem__, reversed(index.commits))
    last = next((commits for commits in made if commits[0] <= since), ())
    if last and last[-1] > since:
        first = last[0]
    stands = next((many for commit, many in host.states() if commit < first), 0)
    return TakenBack(first, stands)


def _behind_request(workspace: Workspace, before: int) -> int:
    index = workspace.index
    made = (index.commit_of(0), *index.requests.values())
    return max(one for one in made if one < before and not index.is_left(one)) + 1
