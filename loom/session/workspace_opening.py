"""What an opening needs: the workspace to write to, the counter of tokens, its warnings; and the
work that is due when a segment of the journal ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from loom.errors import LoomError, LoomWarning
from loom.policy import Policy
from loom.providers.counts import Counter, counter_for, is_encoding
from loom.session.archive.workspace import Workspace
from loom.session.engine import Engine
from loom.session.moments import Moments
from loom_paging import FULL, Store
from loom_paging.remote.address import is_valid_address
from loom_partitions.window import Window


def workspace_counter(
    window: Window | None, model: str, policy: Policy, capabilities: Sequence[Moments]
) -> Counter:
    """Return the token counter for a workspace; a workspace that exists keeps its way of counting.
    `window` is None for a new workspace. Raises LoomError for an unknown encoding, and if a
    capability's counter is needed but not given."""
    own = [one.counter for one in capabilities if one.counter is not None]
    if window is None:
        counter = own[0] if own else counter_for(model, policy.encoding)
        if policy.encoding and not is_encoding(counter.encoding):
            raise LoomError(f"no encoding {policy.encoding!r}: give one tiktoken knows, or none")
        return counter
    known = window.config
    given = next((one for one in own if one.encoding == known.encoding), None)
    if given is not None:
        return given
    counter = counter_for(known.model, known.encoding or policy.encoding)
    if not counter.exact and not is_encoding(counter.encoding):
        raise LoomError(
            f"counted in {known.encoding!r}, by the counter of a capability: give it again"
        )
    return counter


def open_workspace(
    path: str | PathLike[str] | Store, durable: bool = True, clock: Callable[[], int] | None = None
) -> Workspace:
    """Return a workspace opened for writing. `path` is a folder, a store or a store's address.
    `clock` returns a commit's time in milliseconds since the epoch; None means the real time.
    Raises the errors of Workspace.at_path."""
    if isinstance(path, str) and is_valid_address(path):
        from loom_paging.remote.open_address import open_tree  # a folder needs nothing of it

        path = open_tree(path, write=True)
    if isinstance(path, str | PathLike):
        workspace = Workspace.at_path(Path(path), durable=durable)
    else:
        try:
            workspace = Workspace(path, write=True)
        except BaseException:  # the store was opened for it
            getattr(path, "close", lambda: None)()
            raise
    workspace.clock = clock or workspace.clock
    return workspace


def ignored_policy_warning(given: Mapping[str, Any], kept: Mapping[str, Any]) -> LoomWarning:
    """Return the warning that a workspace keeps the policy `kept`, not the policy `given`."""
    fields = [name for name in kept if given.get(name) != kept[name]]
    told = ", ".join(f"{name}={kept[name]!r}" for name in fields[:3])
    more = f" and {len(fields) - 3} more" if len(fields) > 3 else ""
    return LoomWarning(
        f"policy: the workspace keeps the one it was made with ({told}{more}); give none, or open"
        " a new workspace with this one",
        "policy",
    )


@contextmanager
def warn_when_disk_full(engine: Engine, *, known: bool) -> Iterator[None]:
    """A context manager for the changes that opening a workspace makes. On a full disk, undo the
    changes and warn; for a new workspace (`known` False), and for any other error, raise the error.
    """
    try:
        yield
    except OSError as error:
        if not known or error.errno not in FULL:
            raise
        engine.undo_unreturned_call()
        said = (
            f"the workspace opens as it was: what this opening changes was not written ({error});"
            " make room (`loom gc`), and open it again"
        )
        warnings.warn(LoomWarning(said, "full"), stacklevel=5)


def index_and_pack(engine: Engine, depth: int) -> None:
    """Index new commits and pack cold files. `depth` is 0 for an agent that no other agent started;
    the files of any other agent stay unpacked."""
    from loom.session.archive.packing import pack_cold
    from loom.session.archive.recall_index import catch_up_long_session

    if engine.policy.own_tools:  # the model may recall
        catch_up_long_session(engine.workspace)
    # The agent above was told paths of a child's pages, so those stay files of their own.
    if not depth and engine.requests.rendering.holds(engine.window):
        workspace, told = engine.workspace, engine.views.told_paths(engine.requests.rendering)
        pack_cold(workspace.store, workspace.journal, told)
