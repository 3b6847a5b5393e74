"""Decide whether a writer may begin at an address."""

from __future__ import annotations

from loom_paging.errors import BadInput, StoreLocked
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.lease import holder_of, is_orphan, told
from loom_paging.remote.shared import FILES, FOLDERS
from loom_paging.remote.state import LogState

# What a workspace has directly below its prefix; others may have put the last two before it began.
OWN = frozenset({"log", "folds", "merged", "pages", "agents", "forks", "lease", *FOLDERS, *FILES})
SHOWN = 5  # names that are told


def admit(bucket: Bucket, state: LogState, *, take: bool) -> None:
    """Raise StoreLocked while the lease of another runs, unless it is to be taken over, and
    BadInput for a new workspace where other things lie.

    A lease of before the last takeover counts for nothing: who was taken over may have put it late.
    """
    held = None if take else holder_of(bucket)
    if held is not None and held.epoch >= state.epoch and not is_orphan(held):
        raise StoreLocked(bucket.place, told(held))
    others = [] if state.number else [name for name in bucket.entries() if name not in OWN]
    if others:
        more = f" and {len(others) - SHOWN:,} more" if len(others) > SHOWN else ""
        raise BadInput(
            f"{bucket.place} holds other things ({', '.join(others[:SHOWN])}{more}) and no"
            f" workspace: give the agent a prefix of its own, such as {bucket.place}/agent"
        )
