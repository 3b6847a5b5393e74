"""`loom export`: write a workspace to one archive, byte for byte, while its agent may be at work.

Theory of operation. No lock is taken. The length of each journal is read once, the first agent's
before those of the agents below it. Each journal is copied up to that length. The pages named in
that part of the journal exist already: a page is durable before a commit names it, and is never
rewritten. An agent that begins later is left out. Long-term memory in SQLite is read within a
transaction. Long-term memory in RocksDB can be copied only while no process has it open. Derived
files are copied as they are; one that does not fit the journal is made again later.

The copy is made beside the archive's place, checked as a workspace is, and then packed. Names are
sorted and headers hold no time or owner, so the same workspace gives the same bytes."""

from __future__ import annotations

import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from loom.capabilities.agents.place import FOLDER, FORKS
from loom.capabilities.memory.longterm.database import busy_store
from loom.capabilities.memory.longterm.memories import WAIT
from loom.capabilities.memory.longterm.rocks import acquire_lock
from loom.rewrite.clean_memories import memory_stores, sqlite_files
from loom.rewrite.homes import agents_in, home_and_rest, home_prefix, homes_in, may_move
from loom.rewrite.new_folder import (
    bad_archive_error,
    create_file,
    damaged_workspace_error,
    new_folder_at,
    place_taken_error,
)
from loom.session.archive.folded_journal import retired_pages
from loom.session.archive.half_purged import check_readable
from loom.session.archive.workspace import OTHERS
from loom_paging import CorruptPage, FileStore, MissingPage, Problem, check
from loom_paging import extent as extents
from loom_paging.segments import Sealed, segment_names

LARGEST = 1 << 30  # bytes of one file: a store reads no larger one
MADE = "made"  # the file that gets the name of the archive
LOOKS = 3  # at a workspace whose copy does not check


class MovedFiles(Struct, frozen=True):
    """Figures of a workspace that was exported or imported: the number of its files, their bytes,
    and the `problems` found in it.

    `agents` and `forks` count the workspaces below. `retired` counts the pages whose bytes Loom had
    removed earlier."""

    files: int
    bytes: int
    problems: tuple[Problem, ...] = ()
    agents: int = 0
    forks: int = 0
    retired: int = 0


def export(folder: Path, out: Path, *, as_is: bool = False) -> MovedFiles:
    """Write the workspace in `folder` to an archive at `out`. Return the numbers of its files,
    bytes and workspaces.

    Raises BadInput, FileNotFoundError if there is no workspace, CorruptJournal for a damaged
    workspace unless `as_is` is True, and PagingError for a long-term memory in use."""
    check_readable(folder, others=OTHERS)
    _check_place(folder, out)
    with new_folder_at(out, MADE) as making:
        # What an agent lets go of while it is read is missing, and the journal as it is copied does
        # not say so yet. Damage is there each time.
        for look in range(LOOKS):
            copy = making / f"{look}"
            for name, data in _archived_files(folder.resolve()):
                if len(data) > LARGEST:
                    raise bad_archive_error(folder / name, f"it has {len(data):,} bytes")
                with create_file(copy / name) as file:
                    file.write(data)
            moved = check_copy(copy)
            if not moved.problems:
                break
        check_readable(folder, others=OTHERS)  # a purge may have begun meanwhile
        if moved.problems and not as_is:
            raise damaged_workspace_error(folder, moved.problems)
        _pack(copy, making / MADE)
    return moved


def export_bytes(data: bytes, folder: Path, out: Path) -> None:
    """Write `data`, a document made from the workspace `folder`, to the new file `out`. Raises
    BadInput."""
    _check_place(folder, out)
    with new_folder_at(out, MADE) as making, create_file(making / MADE) as file:
        file.write(data)


def check_copy(copy: Path) -> MovedFiles:
    """Check a copied workspace and all workspaces below it. Return its figures, with the problems
    found."""
    sizes = [path.stat().st_size for path in copy.rglob("*") if path.is_file()]
    problems: list[Problem] = []
    retired, kinds = 0, []
    for home in agents_in(copy):
        found = check(FileStore(home, create=False, durable=False), retired_pages)
        where = home_prefix(copy, home)
        problems += [replace(problem, where=where + problem.where) for problem in found.problems]
        retired += found.retired
        kinds += [home.parent.name] if where else []
    below = (kinds.count(FOLDER), kinds.count(FORKS))
    return MovedFiles(len(sizes), sum(sizes), tuple(problems), *below, retired)


def _check_place(folder: Path, out: Path) -> None:
    """Raise BadInput if the file `out` would lie inside the workspace `folder`, and
    FileNotFoundError if the parent folder of `out` does not exist."""
    if out.resolve().is_relative_to(folder.resolve()):
        raise place_taken_error(out, "it lies in the workspace")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"{out}: there is no folder {out.parent}: make it first")


def _pack(copy: Path, out: Path) -> None:
    """Write the files of the folder `copy` into a new tar archive at `out`."""
    paths = {path.relative_to(copy).as_posix(): path for path in copy.rglob("*") if path.is_file()}
    with (
        create_file(out) as made,
        tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted(paths):
            about = tarfile.TarInfo(name)
            about.size, about.mode = paths[name].stat().st_size, 0o600
            with paths[name].open("rb") as data:
                tar.addfile(about, data)


def _archived_files(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a pair (name, bytes) for each file of the workspace `root` to be exported, all as of
    one moment."""
    stores = {home_prefix(root, home): FileStore(home, create=False) for home in homes_in(root)}
    ends = {
        home + name: store.size(name)
        for home, store in stores.items()
        for name in segment_names(store)
    }
    with ExitStack() as held:
        memories: set[str] = set()
        skipped: set[str] = set()
        for path, engine in memory_stores(root):
            if engine == "sqlite":
                memories.add(path.relative_to(root).as_posix())
                skipped.update(one.relative_to(root).as_posix() for one in sqlite_files(path))
            else:
                held.enter_context(acquire_lock(path, 0))
        names = {home + name for home, store in stores.items() for name in store.names()}
        names |= {home + extents.NAME for home in stores}
        for name in sorted(names):
            home, rest = home_and_rest(name)
            late = rest.startswith("journal/") and name not in ends
            if home not in stores or late or name in skipped or not may_move(name):
                continue
            if rest == extents.NAME:  # may be of a later moment: noted of what is copied
                segments = (home + one for one in segment_names(stores[home]))
                sizes = tuple(ends[one] for one in segments if one in ends)
                yield name, extents.note_bytes(Sealed(sizes=sizes))
            elif name in memories:
                yield name, _database_bytes(root / name)
            elif (
                data := _read_or_none(stores[home], rest, ends.get(name, LARGEST + 1))
            ) is not None:
                yield name, data


def _read_or_none(store: FileStore, name: str, most: int) -> bytes | None:
    """Return the first `most` bytes of a file. Return None if the file was removed or lies in a
    damaged pack."""
    # A page in a damaged pack is reported as gone by the later check of the copy.
    try:
        return store.read(name, 0, most)
    except (MissingPage, CorruptPage):
        return None


def _database_bytes(path: Path) -> bytes:
    """Return the bytes of an SQLite database as its last transaction left it. Raises
    StoreLocked."""
    # If this process opened and closed the file itself, it would lose its locks on the file.
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=rw", WAIT, uri=True)) as db:
            return db.serialize()
    except sqlite3.OperationalError:
        raise busy_store(str(path), WAIT) from None
    except sqlite3.DatabaseError:  # damaged, or no database at all
        return path.read_bytes()
