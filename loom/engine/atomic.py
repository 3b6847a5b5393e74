"""One call of a context: what it commits stands once it returns, and otherwise never happened.

    with engine.lock, engine.atomic:
        … commit …

The lock comes first: it is C, and so let go whatever interrupts the rest. What a call before this
one left unacknowledged is undone on entry, and not when that call failed: whoever pressed Ctrl-C
does not wait, and a second Ctrl-C finds nothing half done. A call within a call acknowledges what
the outer one committed before it.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loom.engine.engine import Engine


class Atomic:
    """What every public call runs in, with the lock held."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        """Undo what an interrupted call left behind."""
        self._engine.settle()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._engine.workspace.acknowledge()
        else:
            self._engine.fail(kind)
