"""Where the removed text of a context window rests: pages, journal, snapshots, stores.

Bytes only: nothing here knows what a window is made of.
"""

from paging.check import Problem, Report, check
from paging.contract import CONTRACTS
from paging.errors import (
    BadLookup,
    CorruptJournal,
    CorruptPage,
    Forked,
    MissingPage,
    OutsideStore,
    PageExists,
    PagingError,
    StoreLocked,
    StoreReplaced,
)
from paging.files import FileStore
from paging.journal import Journal
from paging.line import Commit
from paging.lock import Lock, writer_of
from paging.lookup import Slice, by_grep, by_lines, by_pointer
from paging.page import PageRef, seal, verify
from paging.pager import Pager
from paging.store import MemoryStore, Store

__all__ = [
    "CONTRACTS",
    "BadLookup",
    "Commit",
    "CorruptJournal",
    "CorruptPage",
    "FileStore",
    "Forked",
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
    "by_grep",
    "by_lines",
    "by_pointer",
    "check",
    "seal",
    "verify",
    "writer_of",
]
