"""What an opening changes and a full disk does not take: told; the workspace opens as it was."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loom_paging import FULL

if TYPE_CHECKING:
    from loom.engine.engine import Engine


class NotRecorded(UserWarning):
    """The disk was full (`error`), so what an opening was to change stays as it was.

    Everything can be read, and pages let go of (`Context.history.gc`, `loom gc`).
    """

    def __init__(self, error: OSError) -> None:
        self.error = error
        super().__init__(
            f"the workspace opens as it was: what this opening changes was not written ({error});"
            " make room (`loom gc`), and open it again"
        )

    def __reduce__(self) -> tuple[type[NotRecorded], tuple[OSError]]:
        return type(self), (self.error,)


@contextmanager
def told_when_full(engine: Engine, *, known: bool) -> Iterator[None]:
    """Undo and tell a change that a full disk does not take, where the workspace was `known`."""
    try:
        yield
    except OSError as error:
        if not known or error.errno not in FULL:
            raise
        engine.settle()
        warnings.warn(NotRecorded(error), stacklevel=5)
