"""Garbage collection of a workspace that is open: decided, recorded; the files go later.

The record is all that a call changes. Files are removed once it can no longer be undone, when the
next call commits, so a call that is interrupted anywhere has let go of nothing or of all it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from loom.engine.archive.collecting import (
    CollectedPages,
    collectable,
    commit_with_room,
    page_kind,
    retirements,
)
from loom.engine.archive.elsewhere import named
from loom.engine.archive.restore import UnknownEntry, entry_of
from loom.errors import LoomError
from loom.retention import Retention, checked
from loom.text import shown
from loom_paging import Expired, MissingPage, PagingError, check_disk
from loom_partitions.records import Promoted

if TYPE_CHECKING:
    from loom.engine.engine import Engine


def collect(engine: Engine, retention: Retention | None, *, apply: bool) -> CollectedPages:
    """The pages that go by a retention, that of the policy when None; with `apply` recorded."""
    engine.check_free()
    if not isinstance(apply, bool):
        raise LoomError(f"apply={shown(apply, 80)}: give True or False")
    given = checked(retention if retention is not None else engine.policy.retention or Retention())
    found = collectable(engine.workspace, given)
    if not apply:
        return found
    commit_with_room(engine.workspace, found, lambda: engine.commit(*retirements(found)))
    return replace(found, applied=True)


def promote(engine: Engine, ref: str) -> None:
    """Keep a page for good, or those of an entry; what is kept already is a no-op.

    Raises UnknownEntry, MissingPage, for a snapshot too, which no collection takes, and Expired for
    what was let go before.
    """
    workspace, entry = engine.workspace, entry_of(ref)
    if entry is None:
        pages = [named(workspace, ref)]
        if not page_kind(pages[0]):
            raise MissingPage(ref, "the pages that collections take", "it stays without that")
    elif entry in workspace.index:
        pages = [*workspace.folded.uses.entries.get(entry, ())]
    else:
        raise UnknownEntry(str(entry), engine.window.history.next_id - 1)
    for page in pages:
        if page in workspace.pager.retired:
            raise Expired(page, workspace.pager.retired[page])
    fresh = tuple(page for page in pages if page not in workspace.folded.promoted)
    if fresh:
        engine.commit(Promoted(fresh))


def after_renewal(engine: Engine) -> None:
    """Let go what the policy says, and end the segment.

    No part of the renewal, which stands: a failure here must not look like one of it.
    """
    for step in (_by_policy, _sealed):
        try:
            step(engine)
        except (OSError, PagingError) as error:
            check_disk(error)


def _by_policy(engine: Engine) -> None:
    if engine.policy.retention is not None:
        collect(engine, engine.policy.retention, apply=True)


def _sealed(engine: Engine) -> None:
    engine.workspace.seal()
