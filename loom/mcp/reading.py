"""A workspace another process may be writing, opened for reading and refreshed before each call."""

from __future__ import annotations

from pathlib import Path

from loom.errors import LoomError
from loom.policy import policy_of
from loom.providers.counts import counter_for
from loom.providers.media.payload import Attached
from loom.redact import Redactor
from loom.session import Engine
from loom.session.archive.lookup import named
from loom.session.archive.reading import UNREADABLE
from loom.session.archive.workspace import Workspace
from loom.session.attach import payload


class FreshReader:
    """The workspace read last, opened anew when its journal changed: while nothing is written it
    stays open, and with it the index a recall made."""

    def __init__(self) -> None:
        self._seen: tuple[object, ...] = ()
        self._engine: Engine | None = None

    def of(self, folder: Path) -> Engine:
        """Return a reader of the workspace as it stands now. Raises as `reader`."""
        states = ((one, one.stat()) for one in sorted((folder / "journal").glob("*")))
        now = (folder, *((one, at.st_ino, at.st_size, at.st_mtime_ns) for one, at in states))
        if self._engine is None or now != self._seen:
            self.close()
            self._engine, self._seen = reader(folder), now
        return self._engine

    def close(self) -> None:
        """Let go of the files."""
        if self._engine is not None:
            self._engine.workspace.close()
            self._engine = None


def reader(folder: Path) -> Engine:
    """The engine over a workspace that is only read. No lock is taken, nothing is written.

    Raises what opening one raises, and LoomError for one that holds nothing yet.
    """
    workspace = Workspace.at_path(folder, write=False)
    if not workspace.commits:
        workspace.close()
        raise LoomError(f"{folder} holds nothing yet; ask again when its session has begun")
    policy, known = policy_of(workspace.window), workspace.window.config
    # Not `counter_of`: where a capability counted, an estimate will do to bound an answer.
    count = counter_for(known.model, known.encoding or policy.encoding)
    redactor = Redactor(()) if workspace.window.sent.unredacted else Redactor()
    return Engine(workspace, policy, count, redactor, None, folder=folder)


def attachment(workspace: Workspace, ref: str) -> tuple[str, Attached] | None:
    """The page a name leads to and the image or document it holds; None for a text, or a name that
    leads nowhere."""
    try:
        page = named(workspace, ref)
        found = payload(page, workspace.payload(page))
    except (*UNREADABLE, LookupError):
        return None
    return None if found is None else (page, found)
