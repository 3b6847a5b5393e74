"""The errors of this package: each says what, where, and what to do about it."""

from __future__ import annotations

from copyreg import __newobj__  # type: ignore[attr-defined]
from errno import EDQUOT, ENOSPC, EROFS
from typing import Any


class LoomError(Exception):
    """Base of all errors of Loom. None of them leaves anything half stored.

    Each can be sent to another process: type, message and fields come through. `kind` is a word
    where some errors of a class are answered otherwise than the rest, "" for most.
    """

    kind = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Say how the error is made again: not by its arguments, which its message is made of."""
        return __newobj__, (type(self), *self.args), vars(self)


class BadInput(LoomError, ValueError):
    """What a caller gave cannot be used; the message says what would do. Nothing was changed."""

    def __init__(self, said: str, kind: str = "") -> None:
        self.kind = kind
        super().__init__(said)


class PagingError(LoomError):
    """Base of the errors of what rests on disk."""


class CorruptPage(PagingError):
    """The bytes under `name` are not the bytes that were sealed.

    `expected` and `found` are each a sha256 in hex; "" where a pack cannot be read, and `why` says
    what is the matter with it.
    """

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
    """No page or entry answers to `name`; `where` says what was searched and which names come near.

    `advice` says what to do about it; `said` is the message where the usual one would not be true.
    """

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
    """The page `name` was retired: its bytes were let go on purpose, as the journal says.

    `why` is a key of RETIRED, or the reason in words.
    """

    def __init__(self, name: str, why: str) -> None:
        self.why = why
        super().__init__(
            name,
            said=f"the page {name!r} was retired ({RETIRED.get(why, why)}): its bytes are no longer"
            " kept, and its name stays taken; only where it came from may still have what it held",
        )


class PageExists(PagingError):
    """`name` is taken by other bytes, and a page is never rewritten."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"{name!r} is already taken and pages are write-once; nothing was changed: "
            "put the new bytes under a new name"
        )


class CorruptJournal(PagingError):
    """The journal is wrong before its tail, or the log of a store, or a workspace to be moved.

    `path` names the segment, `line` is 1-based and 0 when the whole segment is meant, `why` says
    what is the matter; `torn` tells what a write cut short could have left. `said` is the message
    where the usual one would not be true.
    """

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
    """This writer can write no more: something else lies at `path` now, another writer took it
    over, or this process was forked from the one that opened it; `why` says which.

    What was not made durable before is not in the store.
    """

    def __init__(self, path: str, why: str, said: str = "") -> None:
        self.path, self.why = path, why
        super().__init__(
            said
            or f"{path}: {why} since this writer opened it; nothing was written: see who else works"
            " there, then close this store and open it again"
        )


def forked_error(path: str, opener: int) -> StoreReplaced:
    """The error in a process that was forked from `opener`, which has the store open to write."""
    why = f"it was opened by process {opener}, which this one was forked from"
    advice = "and a store has one writer: go on there, and open another store here"
    return StoreReplaced(path, why, f"{path}{why[2:]}, {advice}")


class StoreUnreachable(PagingError):
    """The store at `place` did not answer in time, or refused; `why` says what it said.

    `hint` says what to mend where trying again does not help; "" where it may. What was to be
    written may have arrived or not, and is not there after a refusal: the next write finds out,
    and doubles nothing.
    """

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
    """`name` is not a plain relative path inside the store."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"{name!r} does not name a place inside the store; use a relative path of plain parts "
            "joined by '/', as in 'outputs/read_0007.json'"
        )


# Of a disk that takes nothing more: full, over a quota, mounted to be read.
FULL = frozenset({ENOSPC, EDQUOT, EROFS})


def check_disk(error: Exception) -> None:
    """Raise again what is not the disk's: a TimeoutError without a number.

    It is an OSError too, and the usual one for the handler of a signal to raise.
    """
    if isinstance(error, TimeoutError) and error.errno is None:
        raise error
