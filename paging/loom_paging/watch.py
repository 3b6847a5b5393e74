"""The state a writer left its logs in, so that a change by anyone else is found out.

A store of files tells by `mark`: size, inode, and time of the last change. A log that is replaced,
cut, restored from a backup or written to has another one, for the price of one question and without
reading a byte. Two changes within one tick of the file system's clock may have the same.
"""

from __future__ import annotations

from loom_paging.errors import MissingPage, StoreReplaced
from loom_paging.store import Markable, Store

MOST = 32  # logs checked each time, of the newest and of the others


class LogMarks:
    """The marks of what one writer left in a store; of a store that has none, nothing."""

    def __init__(self, store: Store) -> None:
        self._of = store.mark if isinstance(store, Markable) else lambda name: ()
        self._marks: dict[str, tuple[int, ...]] = {}
        self._turn = 0  # of those of many that are checked
        self._other: dict[str, None] = {}  # those that were found changed: they stay so

    def keep(self, *names: str) -> None:
        """They are as this writer left them."""
        self._marks.update((name, self._mark(name)) for name in names)

    def drop(self, *names: str) -> None:
        """This writer changes them: nothing is known until they are kept again."""
        for name in names:
            self._marks.pop(name, None)

    def check(self, *names: str) -> None:
        """Raise StoreReplaced for the first that is not as it was left.

        Of very many the newest MOST are looked at, and as many of the others in turn: what is not
        found out this time is found out in one of the next.
        """
        newest, others = names[-MOST:], names[:-MOST]
        if others:
            at = self._turn if self._turn < len(others) else 0
            others, self._turn = others[at : at + MOST], at + MOST
        for name in (*(one for one in self._other if one in names), *newest, *others):
            if name in self._marks and self._mark(name) != self._marks[name]:
                self._other[name] = None
                raise StoreReplaced(name, "it was changed, replaced or removed")

    def _mark(self, name: str) -> tuple[int, ...]:
        try:
            return self._of(name)
        except MissingPage:
            return ()
