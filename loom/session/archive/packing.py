"""A long-lived workspace keeps few files: cold files are packed, the files of retired pages
removed.

Once there are many cold files, they go into packs. Cold are pages, older snapshots and older
segments of the journal whose path the last request does not name. A reader with only a file tool
can open a path it was told. So each path in the last request has a plain file, and before the next
request is handed out, each path that is new in it gets one (`EntryViews`). Everything else reads by
name and does not see the difference.

The files of retired pages are removed once the commit that retired them can no longer be undone.
Nothing depends on a removal: a page is retired by its record, and a file that is left behind is
found by the next opening. So a file that the disk cannot delete is passed over."""

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
    """Pack the store's cold files, if at least AT files are cold. Paths in `told`, which the last
    request names, stay unpacked.

    Call this only while every commit is acknowledged. If the disk fails, no error is raised and all
    files stay unpacked."""
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
    """Yield the names of unpacked pages, snapshots and journal segments, without the paths in
    `told` and the newest files of each kind."""
    pages = [name for name in store.plain_names("outputs/") if name not in told]
    warm = {*sorted(pages, key=_page_number, reverse=True)[:PAGES]}
    yield from (name for name in pages if name not in warm)
    snapshots = store.plain_names("snapshots/")[:-SNAPSHOTS]
    yield from (name for name in snapshots if name not in told)
    newest = set(segment_names(store)[-SEGMENTS:])
    yield from (name for name in store.plain_names("journal/") if name not in newest)


def _page_number(page: str) -> int:
    """Return the number in a page's name: `outputs/read_0007.txt` → 7."""
    found = _NUMBER.search(page)
    return int(found[1]) if found else 0


class RetiredFiles:
    """Removes the files of retired pages, in the order of retirement. `removed` counts the pages
    whose files were removed."""

    def __init__(self, store: Store) -> None:
        self.removed = 0
        self._store = store

    def remove(self, retired: Mapping[str, str], most: int | None = MOST) -> None:
        """Remove the files of the next `most` retired pages; None means all that are left.

        `retired` maps every page ever retired to the reason, in the order of retirement. The
        commits that retired the pages must be acknowledged."""
        until = None if most is None else self.removed + most
        names = [*islice(retired, self.removed, until)]
        self._delete_files(names)
        self.removed += len(names)

    def remove_leftovers(self, pager: Pager, journal: Journal) -> None:
        """Remove the files of retired pages that an earlier process left on disk."""
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
        """Delete files, also files in packs. Missing files are skipped."""
        if isinstance(self._store, FileStore) and names:
            with _pass_over_disk_errors():
                self._store.drop(names)
        for name in names:
            with _pass_over_disk_errors():  # gone already, or never a file
                self._store.delete(name)


@contextmanager
def _pass_over_disk_errors() -> Iterator[None]:
    """A context manager that suppresses errors of the disk."""
    try:
        yield
    except (OSError, PagingError) as error:
        check_disk(error)
