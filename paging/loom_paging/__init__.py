"""Where the removed text of a context window rests: pages, journal, snapshots, stores.

This package handles bytes only: it does not know what a window is made of."""

from loom_paging.check import Problem, Report, check
from loom_paging.errors import (
    FULL,
    BadInput,
    CorruptJournal,
    CorruptPage,
    Expired,
    MissingPage,
    OutsideStore,
    PageExists,
    PagingError,
    StoreLocked,
    StoreReplaced,
    StoreUnreachable,
    check_disk,
)
from loom_paging.files import FileStore
from loom_paging.journal import Journal
from loom_paging.line import Commit
from loom_paging.lock import Lock, writer_of
from loom_paging.lookup import Slice, by_grep, by_lines, by_pointer
from loom_paging.page import PageRef, seal, verify
from loom_paging.pager import Pager
from loom_paging.store import MemoryStore, Store

__all__ = [
    "FULL",
    "BadInput",
    "Commit",
    "CorruptJournal",
    "CorruptPage",
    "Expired",
    "FileStore",
    "Journal",
    "Lock",
    "MemoryStore",
    "MissingPage",
    "OutsideStore",
    "PageExists",
    "PageRef",
    "Pager",
    "PagingError",
    "Problem",
    "Report",
    "Slice",
    "Store",
    "StoreLocked",
    "StoreReplaced",
    "StoreUnreachable",
    "by_grep",
    "by_lines",
    "by_pointer",
    "check",
    "check_disk",
    "seal",
    "verify",
    "writer_of",
]
