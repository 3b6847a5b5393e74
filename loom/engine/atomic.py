"""One call of a context: what it commits stands once it returns, and otherwise never happened.

    with engine.lock, engine.atomic:
        … commit …

The lock comes first: it is C, and so let go whatever interrupts the rest. What a call before this
one left unacknowledged is undone on entry, and not when that call failed: whoever pressed Ctrl-C
does not wait, and a second Ctrl-C finds nothing half done. A hook of the host's runs with the lock
let go (`loom.engine.hooks`), and the next call waits for it here. A call within a call acknowledges
what the outer one committed before it.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from loom.errors import Closed

if TYPE_CHECKING:
    from loom.engine.engine import Engine


class Atomic:
    """What every public call runs in, with the lock held."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        """Wait for the hooks of other threads' calls; undo what an interrupted call left behind.

        Raises HeldByHook, and Closed once the context is closed.
        """
        self._engine.hooks.admit()
        if self._engine.workspace.closed:
            raise Closed()
        self._engine.settle()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._engine.workspace.acknowledge()  # nothing may follow it
        else:
            self._failed(kind)

    def _failed(self, kind: type[BaseException]) -> None:
        self._engine.hooks.regain()
        try:
            self._engine.fail(kind)
        finally:
            self._engine.hooks.forget()
