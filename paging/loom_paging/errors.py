"""The errors of this package: each message says what happened, where, and what to do about it."""

from __future__ import annotations

from copyreg import __newobj__  # type: ignore[attr-defined]
from errno import EDQUOT, ENOSPC, EROFS
from typing import Any


class LoomError(Exception):
    """Base of all errors of Loom. After an error nothing is stored by halves.

    Each error can be pickled with its type, message and fields. `kind` is a word that tells errors
    of one class apart; it is "" for most errors."""

    kind = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle needs to rebuild the error: (function, its arguments, the fields)."""
        # The constructor is not called again: its arguments are not kept.
        return __newobj__, (type(self), *self.args), vars(self)


class BadInput(LoomError, ValueError):
    """An argument cannot be used; the message says which values can. Nothing was changed."""

    def __init__(self, said: str, kind: str = "") -> None:
        self.kind = kind
        super().__init__(said)


class PagingError(LoomError):
    """Base of the errors about stores, pages and journals."""


class CorruptPage(PagingError):
    """The bytes stored under `name` have changed since the page was written.

    `expected` and `found` are the sha256 sums in hex. For a pack that cannot be read both are "",
    and `why` says what is wrong with the pack. `said`, if not empty, begins the message."""

    def __init__(self, name: str, expected: str, found: str, said: str = "", why: str = "") -> None:
        self.name, self.expected, self.found, self.why = name, expected, found, why
        what = said or (
            f"{name!r} is damaged: its sha256 is {found[:10]}… and should be {expected[:10]}…"
        )
        super().__init__(
            f"{what}; nothing was changed: restore it from a backup; what does not need it can"
            " still be read"
        )


class MissingPage(PagingError):
    """No page or entry has the name `name`. `where` describes the place that was searched. `advice`
    says what the user can do. `said`, if not empty, is the whole message."""

    def __init__(self, name: str, where: str = "", advice: str = "", said: str = "") -> None:
        self.name, self.where = name, where
        usual = (
            "use a name the window or the journal shows, or restore the file from a backup where"
            " this is one"
        )
        super().__init__(said or f"there is no page {name!r:.200} in {where}; {advice or usual}")


RETIRED = {
    "expired": "its time was over",
    "quota": "the room on disk was needed",
    "damaged": "it could not be read any more",
}


class Expired(MissingPage):
    """The page `name` was retired: its bytes were removed on purpose. `why` is a key of RETIRED, or
    the reason in words."""

    def __init__(self, name: str, why: str) -> None:
        self.why = why
        super().__init__(
            name,
            said=f"the page {name!r} was retired ({RETIRED.get(why, why)}): its bytes are no longer"
            " kept, and its name stays taken; only where it came from may still have what it held",
        )


class PageExists(PagingError):
    """The name `name` has other bytes already. A page is never rewritten."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"{name!r} is already taken and pages are write-once; nothing was changed: "
            "put the new bytes under a new name"
        )


class CorruptJournal(PagingError):
    """A journal is damaged, or a line of it, or the log of an object store, or a workspace to be
    moved.

    `path` names the segment. `line` is the number of the bad line, from 1; 0 means the whole
    segment. `why` says what is wrong. `torn` is True when a write that was cut short could have
    left the bad line. `said`, if not empty, is the whole message."""

    def __init__(
        self, path: str, line: int, why: str, said: str = "", *, torn: bool = False
    ) -> None:
        self.path, self.line, self.why, self.torn = path, line, why, torn
        where = f"{path}, line {line}" if line else path
        super().__init__(
            said
            or f"the journal is damaged at {where}: {why}; nothing was changed on disk: restore the"
            " store from a backup, or have `loom repair` save what is whole"
        )


class StoreLocked(PagingError):
    """Another writer has the store at `path` open; `holder` describes it ("process 4711")."""

    def __init__(self, path: str, holder: str, said: str = "") -> None:
        self.path, self.holder = path, holder
        super().__init__(
            said
            or f"{path} is in use by {holder} and a store has one writer; close it there first "
            "(to read it alone, no lock is needed)"
        )


class StoreReplaced(PagingError):
    """This writer can no longer write to the store at `path`; its writes that were not yet durable
    are lost. `why` gives the reason, for example that another writer took the store over."""

    def __init__(self, path: str, why: str, said: str = "") -> None:
        self.path, self.why = path, why
        super().__init__(
            said
            or f"{path}: {why} since this writer opened it; nothing was written: see who else works"
            " there, then close this store and open it again"
        )


def forked_error(path: str, opener: int) -> StoreReplaced:
    """Return the error for a write in a forked process to the store at `path`, which the parent
    process `opener` opened."""
    why = f"it was opened by process {opener}, which this one was forked from"
    advice = "and a store has one writer: go on there, and open another store here"
    return StoreReplaced(path, why, f"{path}{why[2:]}, {advice}")


class StoreUnreachable(PagingError):
    """The store at `place` did not answer in time, or refused a request. `doing` names the request
    ("put log/000000000001"), `why` is the store's own text.

    `hint` says what the user must mend; "" means that trying again may help. After a refusal
    nothing was written. A write without an answer may have arrived; the next write finds out."""

    def __init__(self, place: str, doing: str, why: str, hint: str = "") -> None:
        self.place, self.doing, self.why, self.hint = place, doing, why, hint
        super().__init__(
            f"{place}: cannot {doing}: {why}; {hint}: nothing is lost here, but trying again does"
            " not help until that is mended"
            if hint
            else f"{place}: cannot {doing}: {why}; nothing is lost here: try the call again, or"
            " open the workspace again once the store answers"
        )


class OutsideStore(PagingError):
    """The name `name` is not a plain relative path inside the store."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"{name!r} does not name a place inside the store; use a relative path of plain parts "
            "joined by '/', as in 'outputs/read_0007.json'"
        )


# Of a disk that takes nothing more: full, over a quota, mounted to be read.
FULL = frozenset({ENOSPC, EDQUOT, EROFS})


def check_disk(error: Exception) -> None:
    """Raise `error` again when it is a TimeoutError without an errno, which does not come from the
    disk. Return for any other error."""
    # A signal handler has probably raised it.
    if isinstance(error, TimeoutError) and error.errno is None:
        raise error
