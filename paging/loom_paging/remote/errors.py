"""Errors of a workspace on an object store, but for those of its requests (`answers`)."""

from __future__ import annotations

from collections.abc import Callable

from loom_paging.errors import PagingError, StoreReplaced


class NoObjectStore(PagingError):
    """An address cannot be opened here; the message says why and what to do."""


class StaleWriter(StoreReplaced):
    """Another writer, `holder`, took the store at `path` over: this one can write nothing any more.

    What it had not made durable is not in the store. Open it again to go on from what is there.
    """

    def __init__(self, path: str, holder: str) -> None:
        self.path, self.holder = path, holder
        self.why = f"{holder} took it over"
        PagingError.__init__(
            self,
            f"{path}: {self.why} since this writer opened it, and a store has one writer: nothing"
            " was written; close this one, and open the workspace again to go on from what is"
            " there",
        )


class BadBatch(PagingError):
    """An object of the log cannot be read; `key` says which, `why` what is the matter."""

    def __init__(self, key: str, why: str) -> None:
        self.key, self.why = key, why
        super().__init__(
            f"{key}: {why}; nothing was changed: restore it from the bucket's versions or a backup,"
            " or have `loom repair` save all that is whole"
        )

    def __reduce__(self) -> tuple[Callable[..., Exception], tuple[object, ...]]:
        return type(self), (self.key, self.why)
