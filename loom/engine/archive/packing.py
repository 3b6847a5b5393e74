"""Cold files of a workspace go into packs, once there are many: weeks of work leave few files.

Cold is what no request tells the path of: pages, older snapshots, older segments of the journal. A
reader with only a file tool can open a path it was told, so what the last request tells has a plain
file, and what the next one tells anew gets one again before it is handed out (`Views`). Everything
else reads by name and does not see the difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from loom.engine.archive.workspace import Workspace
from loom_paging import FileStore, PagingError, check_disk
from loom_paging.packing import pack
from loom_paging.segments import segment_names

AT = 256  # cold files that make a pack: about one a hundred steps
SNAPSHOTS = 8  # the newest of them that stay files of their own
SEGMENTS = 4  # the same of the journal


def pack_cold(workspace: Workspace, told: Collection[str]) -> None:
    """Pack what is cold, where there is enough of it; `told` are the paths the last request tells.

    For the moment when all that is folded was acknowledged. A failure of the disk leaves all as it
    was, and is met again by whoever reads or writes next.
    """
    store = workspace.store
    if not isinstance(store, FileStore):
        return
    try:
        cold = [*_cold(store, told)]
        if len(cold) >= AT:
            pack(store, cold)
            workspace.journal.keep_marks()
    except (OSError, PagingError) as error:
        check_disk(error)


def _cold(store: FileStore, told: Collection[str]) -> Iterator[str]:
    """The names that may be packed and lie in files of their own; alike ones stand together."""
    for name in store.plain_names("outputs/"):
        if name not in told:
            yield name
    for name in store.plain_names("snapshots/")[:-SNAPSHOTS]:
        if name not in told:
            yield name
    newest = set(segment_names(store)[-SEGMENTS:])
    yield from (name for name in store.plain_names("journal/") if name not in newest)
