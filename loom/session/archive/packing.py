"""Files of a workspace that weeks of work would pile up: cold ones packed, retired ones removed.

Cold files go into packs, once there are many. Cold is what no request tells the path of: pages,
older snapshots, older segments of the journal. A reader with only a file tool can open a path it
was told, so what the last request tells has a plain file, and what the next one tells anew gets one
again before it is handed out (`Views`). Everything else reads by name and does not see the
difference.

The files of retired pages are removed once the commit that retired them can no longer be undone.
Nothing depends on a removal: a page is retired by its record, and a file that is left behind is
found by the next opening. So what the disk does not let go of is passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from loom.lazy import lazy_re
from loom_paging import FileStore, Journal, Pager, PagingError, Store, check_disk
from loom_paging.segments import segment_names

AT = 128  # cold files that make a pack, in a quarter of a second: about one a hundred steps
PAGES = 128  # the newest of them that stay files of their own: a digest tells some again
SNAPSHOTS = 8  # the same of snapshots
SEGMENTS = 4  # … and of the journal
_NUMBER = lazy_re(r"_(\d+)(?:\.|$)")
MOST = 200  # files that one call of an agent removes


def pack_cold(store: Store, journal: Journal, told: Collection[str]) -> None:
    """Pack what is cold, where there is enough of it; `told` are the paths the last request tells.

    For the moment when all that is folded was acknowledged. A failure of the disk leaves all as it
    was, and is met again by whoever reads or writes next.
    """
    if not isinstance(store, FileStore):
        return
    try:
        cold = [*_cold_names(store, told)]
        if len(cold) >= AT:
            try:
                store.pack(cold)
            finally:  # what was cut short may have removed files of the journal: we did
                journal.keep_marks()
    except (OSError, PagingError) as error:
        check_disk(error)


def _cold_names(store: FileStore, told: Collection[str]) -> Iterator[str]:
    """The names that may be packed and lie in files of their own; alike ones stand together."""
    pages = [name for name in store.plain_names("outputs/") if name not in told]
    warm = {*sorted(pages, key=_page_number, reverse=True)[:PAGES]}
    yield from (name for name in pages if name not in warm)
    snapshots = store.plain_names("snapshots/")[:-SNAPSHOTS]
    yield from (name for name in snapshots if name not in told)
    newest = set(segment_names(store)[-SEGMENTS:])
    yield from (name for name in store.plain_names("journal/") if name not in newest)


def _page_number(page: str) -> int:
    """The number in a page's name: they rise, whatever the kind of the page."""
    found = _NUMBER.search(page)
    return int(found[1]) if found else 0


class RetiredFiles:
    """Those of one store, for its one writer; `removed` counts the names that are done with."""

    def __init__(self, store: Store) -> None:
        self.removed = 0
        self._store = store

    def remove(self, retired: Mapping[str, str], most: int | None = MOST) -> None:
        """Remove what was retired since the last time, at most so many; without `most` all.

        `retired` has all that ever was, in its order, and all of it was acknowledged.
        """
        until = None if most is None else self.removed + most
        names = [*islice(retired, self.removed, until)]
        self._delete_files(names)
        self.removed += len(names)

    def remove_leftovers(self, pager: Pager, journal: Journal) -> None:
        """Remove what an earlier writer left of retired pages."""
        if not (retired := pager.retired):
            return
        left = [name for name in self._store.names("outputs/") if name in retired]
        try:
            if left:
                journal.sync()  # the records may not have reached the disk yet
        except (OSError, PagingError) as error:
            check_disk(error)
            return
        self._delete_files(left)
        self.removed = len(retired)

    def _delete_files(self, names: Collection[str]) -> None:
        if isinstance(self._store, FileStore) and names:
            with _pass_over_disk_errors():
                self._store.drop(names)
        for name in names:
            with _pass_over_disk_errors():  # gone already, or never a file
                self._store.delete(name)


@contextmanager
def _pass_over_disk_errors() -> Iterator[None]:
    """Pass over what the disk does not let go of; raise what is not the disk's."""
    try:
        yield
    except (OSError, PagingError) as error:
        check_disk(error)
