"""The places a workspace may be opened at to be written to: a folder, an address, a store."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from loom.engine.archive.workspace import Workspace
from loom.engine.exposed import check_own
from loom.errors import LoomError
from loom_paging import Store
from loom_paging.remote.address import is_elsewhere
from loom_paging.waiting_syncs import TURN, Durable


def workspace_at(
    path: str | PathLike[str] | Store,
    durable: Durable = True,
    own: bool = False,
    clock: Callable[[], int] | None = None,
) -> Workspace:
    """The workspace in a folder, in a store, or at an address of one, open for writing.

    With `own` a folder that holds other files and no workspace is refused. `clock` gives the time
    of what is committed, in milliseconds since the epoch, where that is not now. Raises as
    Workspace.at_path, and LoomError for a store that is to sync once a turn.
    """
    workspace = _workspace_at(path, durable, own)
    if clock is not None:
        workspace.clock = clock
    return workspace


def _workspace_at(path: str | PathLike[str] | Store, durable: Durable, own: bool) -> Workspace:
    if isinstance(path, str) and is_elsewhere(path):
        from loom_paging.remote.opening import tree_at  # a folder needs nothing of it

        return in_store(tree_at(path, write=True))
    if isinstance(path, str | PathLike):
        if own:
            check_own(Path(path))
        return Workspace.at_path(Path(path), durable=durable)
    own = getattr(path, "durable", True)
    if TURN in (durable, own):
        from loom_paging.remote.opening import is_remote

        if not is_remote(path):
            raise LoomError(
                "durable='turn' is for a folder: a store given in its place says by itself"
            )
    return in_store(path)


def in_store(store: Store) -> Workspace:
    """The workspace in a store that was opened for it; the store is closed when that fails."""
    try:
        return Workspace(store, write=True)
    except BaseException:
        getattr(store, "close", lambda: None)()
        raise
