"""A store of plain files in a folder, each readable without this program.

A page is written to a temporary file in its own folder, synced, and given its name by a hard link,
which fails where a name exists: a page is never replaced, and a crash leaves none or a whole one.
The folder is synced last; only then does `put` return. Files are 0600, folders 0700. Temporary
files a crash left are no names of the store; the one writer removes them with `sweep`.

A cold page may lie in a pack (`loom_paging.packs`) instead of a file of its own: it is read from
the pack under its name, and never appended to. When both are there, the plain file counts.

`put` is put-if-absent between threads, processes and stores of one folder: of several writers of
one name exactly one wins. `get`, `has`, `delete` may run beside it; all else is for one thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from loom_paging.errors import CorruptPage, MissingPage, OutsideStore, PageExists
from loom_paging.folders import (
    PLACING,
    OpenLog,
    Temporaries,
    file_holds,
    flush,
    flush_data,
    open_log,
    put_if_absent,
    sync_folder,
)
from loom_paging.names import checked_name, is_lawful, parent_folders
from loom_paging.packfile import pack_bytes
from loom_paging.packs import FOLDER, Packs
from loom_paging.plain import (
    NO_FILE,
    is_within,
    make_private_folders,
    open_plain_file,
    plain_files_below,
    sync_nothing,
)
from loom_paging.store import span

_LARGEST = 1 << 30  # bytes of a page or a log that is read whole: more is none of ours


class FileStore:
    """The store in the folder `root`. `durable=False` skips every sync. With `create=False` a
    missing folder raises MissingPage. `others` are folders at the top of `root` that belong to
    other writers: `sweep` leaves the temporary files in them."""

    def __init__(
        self, root: Path, *, durable: bool = True, create: bool = True, others: Collection[str] = ()
    ) -> None:
        self.durable = durable
        self._sync_folder: Callable[[Path], None] = sync_folder if durable else sync_nothing
        self._sync_log: Callable[[int], None] = flush_data if durable else sync_nothing
        if create:
            make_private_folders(root, self._sync_folder)
        elif not root.is_dir():
            raise MissingPage(".", f"{root}, which is not a folder")
        self.root = root.resolve()
        self.packs = Packs(self.root)
        self._log_open = OpenLog(self.root)
        self._temporaries = Temporaries(self.root, others)

    def put(self, name: str, data: bytes) -> None:
        """Write a page durably; see Store."""
        if self._is_packed(name, path := self._path(name)):
            if self.get(name) != data:
                raise PageExists(name)
            return
        if not (self._is_vacant(name, path) and self._put_new(path, data)):
            if not file_holds(path, data):
                raise PageExists(name)
            if self.durable:  # it may have been written by a process that synced nothing
                with path.open("r+b") as file:
                    flush(file.fileno())
        self._sync_folder(path.parent)

    def get(self, name: str) -> bytes:
        """Return all bytes under `name`, at most a gibibyte; see Store."""
        size = self.size(name)
        if size > _LARGEST:
            raise MissingPage(name, f"{self.root}, where a file of {size:,} bytes lies")
        return self.read(name, 0, size)

    def has(self, name: str) -> bool:
        """Return True when `name` holds bytes."""
        return self._path(name).is_file() or self.packs.find(name) is not None

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that start with `prefix`, sorted."""
        in_packs = (name for name in self.packs.names() if name.startswith(prefix))
        return sorted({*self.plain_names(prefix), *in_packs})

    def plain_names(self, prefix: str = "") -> list[str]:
        """Return the names that start with `prefix` and lie in files of their own, sorted."""
        folder = prefix.rpartition("/")[0]
        if folder and not is_lawful(folder):
            return []
        found = plain_files_below(self.root, self.root / folder, folder + "/" if folder else "")
        return sorted(name for name in found if name.startswith(prefix) and is_lawful(name))

    def link(self, existing: str, new: str) -> None:
        """Make `new` a hard link of `existing`, or a copy where links are impossible."""
        source, path = self._path(existing), self._path(new)
        if not source.is_file() or self._is_packed(new, path) or not self._is_vacant(new, path):
            self.put(new, self.get(existing))
            return
        make_private_folders(path.parent, self._sync_folder)
        try:
            path.hardlink_to(source)
        except FileExistsError:
            raise PageExists(new) from None
        except OSError:
            self.put(new, self.get(existing))
        self._sync_folder(path.parent)

    def delete(self, name: str) -> None:
        """Remove one name, and the folders that become empty."""
        path = self._path(name)
        if not self.has(name):
            raise MissingPage(name, str(self.root))
        if path.is_file():
            self._log_open.close(name)
            path.unlink()
            self._sync_folder(path.parent)
        self.drop([name])
        self.packs.refresh()  # it may have been a pack
        for folder in reversed(parent_folders(name)):
            with suppress(OSError):  # not empty
                (self.root / folder).rmdir()

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a log durably; see Store. After an OSError a part may be written."""
        descriptor = self._log_descriptor(name, create=True)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        self._sync_log(descriptor)

    def size(self, name: str) -> int:
        """Return the number of bytes under `name`."""
        pack = self.packs.find(name)
        # A plain file is looked for without `_path`, which is slow for hundreds of names.
        if pack is None or os.path.lexists(self.root / checked_name(name)):
            if (path := self._path(name)).is_file():
                return path.stat().st_size
            if pack is None:
                raise MissingPage(name, str(self.root))
        return pack.size(name)

    def mark(self, name: str) -> tuple[int, ...]:
        """Return the size, inode and time of the last change; see Markable. For a packed name only
        the size, since a pack may be made anew."""
        try:
            about = (self.root / checked_name(name)).stat()
        except OSError as error:
            if error.errno not in NO_FILE:
                raise
            return (self.size(name),)
        return about.st_size, about.st_ino, about.st_mtime_ns

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`; see Store."""
        part, path = span(offset, length), self._path(name)
        try:
            with open_plain_file(path) as file:
                held = os.fstat(file.fileno()).st_size  # what is asked for may be made up
                file.seek(part.start)
                return file.read(min(length, held))
        except FileNotFoundError:
            data = self.packs.read(name, offset, length)
        if data is None:
            raise MissingPage(name, str(self.root))
        return data

    def truncate(self, name: str, size: int) -> None:
        """Cut a log back to `size` bytes durably; see Store."""
        held = self.size(name)
        if not 0 <= size <= held:
            raise ValueError(f"{name!r} has {held} bytes and cannot be cut to {size}")
        descriptor = self._log_descriptor(name, create=False)
        os.ftruncate(descriptor, size)
        self._sync_log(descriptor)

    def sketch(self, name: str, data: bytes) -> None:
        """Write or replace a derived view in one step, without a sync; see Store."""
        path = self._path(name)
        if self._is_vacant(name, path):
            make_private_folders(path.parent, self._sync_folder)
        self._log_open.close(name)
        self._temporaries.make(path.parent, data, durable=False).replace(path)

    def leftovers(self) -> list[str]:
        """Return the names of the temporary files that a crash left, sorted."""
        return self._temporaries.leftovers()

    def sweep(self) -> list[str]:
        """Remove the temporary files that a crash left, and return their names; for the one writer
        only. Syncs the folders, where a crash may have left a name not durable."""
        for folder in (self.root.parent, self.root, *filter(Path.is_dir, self.root.iterdir())):
            self._sync_folder(folder)
        return self._temporaries.sweep()

    def close(self) -> None:
        """Close the log that is open; the store stays usable."""
        self._log_open.close()

    def pack(self, names: Collection[str]) -> None:
        """Put the bytes under these names into one new pack, in this order, and remove their plain
        files. The pack is made durable and read back before any file is removed."""
        fresh = [name for name in names if self.packs.find(name) is None]
        if fresh:
            members = ((name, self.get(name)) for name in fresh)
            self.put(self.packs.next_name(), pack_bytes(members))
        if self.packs.all():  # the name of one that was made before a call was cut short
            self._sync_folder(self.root / FOLDER)
        paths = [self._path(name) for name in names if self._is_also_packed(name)]
        for path in paths:
            path.unlink(missing_ok=True)
        for folder in dict.fromkeys(path.parent for path in paths):
            self._sync_folder(folder)

    def unpack(self) -> None:
        """Give every packed name a plain file, and remove the packs. Raises CorruptPage."""
        for held in self.packs.all():
            for name in held.index.members:
                self.plain(name)
            self.delete(f"{FOLDER}/{held.path.name}")

    def drop(self, names: Collection[str]) -> None:
        """Take names out of their packs, each of which is written anew once; names in no pack are
        ignored. A damaged pack raises CorruptPage, and later packs stay unchanged."""
        gone = {*names}
        for held in dict.fromkeys(filter(None, map(self.packs.find, gone))):
            if kept := [name for name in held.index.members if name not in gone]:
                members = ((name, held.read(name, 0, held.size(name))) for name in kept)
                self.put(self.packs.next_name(), pack_bytes(members))
            self.delete(f"{FOLDER}/{held.path.name}")

    def plain(self, name: str) -> None:
        """Give a packed name a plain file beside the pack; no-op for a name that is not packed."""
        if self._is_packed(name, path := self._path(name)):
            self._put_new(path, self.get(name))
            self._sync_folder(path.parent)

    def _is_packed(self, name: str, path: Path) -> bool:
        """Return True for a name that lies in a pack and in no plain file."""
        return not path.is_file() and self.packs.find(name) is not None

    def _is_also_packed(self, name: str) -> bool:
        """Return True when a pack holds the same bytes as the plain file of a name."""
        data = self.get(name)
        with suppress(CorruptPage):  # `problems` tells of it
            return self.packs.read(name, 0, len(data) + 1) == data
        return False

    def _path(self, name: str) -> Path:
        """Return the path of `name`; OutsideStore when a symbolic link leads out of the root."""
        path = self.root / checked_name(name)
        if not is_within(path, self.root):
            raise OutsideStore(name)
        return path

    def _is_vacant(self, name: str, path: Path) -> bool:
        """Return True when no file has `name`, False when one has. Raises PageExists when something
        else takes the path, or the path of a folder it needs."""
        if path.is_file():
            return False
        folders = map(self.root.joinpath, parent_folders(name))
        odd = path.exists() and not path.is_file()  # asked again: it may have come just now
        if odd or any(folder.exists() and not folder.is_dir() for folder in folders):
            raise PageExists(name)
        return True

    def _put_new(self, path: Path, data: bytes) -> bool:
        """Write bytes under a free name in one step; return False when another writer was first."""
        make_private_folders(path.parent, self._sync_folder)
        return put_if_absent(
            path,
            lambda: self._temporaries.make(path.parent, data, durable=self.durable),
            self.root / PLACING,
        )

    def _log_descriptor(self, name: str, *, create: bool) -> int:
        """Return the open descriptor of a log (see OpenLog). PageExists for a packed log."""
        path = self._path(name)

        def begun() -> int:
            if self._is_packed(name, path):
                raise PageExists(name)
            # An empty one may have been made by a writer that died before the folder was synced.
            new = self._is_vacant(name, path) or not path.stat().st_size
            return open_log(path, self._sync_folder, new=new, create=create)

        return self._log_open.descriptor(name, path, begun)
