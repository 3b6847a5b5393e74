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
    missing folder raises MissingPage. `others` names folders directly in `root` that belong to
    other writers: `sweep` leaves their files alone."""

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
        """Write bytes durably under a name. Raises PageExists when the name has other bytes."""
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
        """Return all bytes under `name`. Raises MissingPage for none, or for more than 1 GiB."""
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
        """Return the names that start with `prefix` and have a file outside the packs, sorted."""
        folder = prefix.rpartition("/")[0]
        if folder and not is_lawful(folder):
            return []
        found = plain_files_below(self.root, self.root / folder, folder + "/" if folder else "")
        return sorted(name for name in found if name.startswith(prefix) and is_lawful(name))

    def link(self, existing: str, new: str) -> None:
        """Give the bytes of `existing` a second name, `new`: by a hard link, else as a copy."""
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
        """Remove one name with its bytes, and the folders that become empty."""
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
        """Add bytes to the end of a log durably. After an OSError some may have been written."""
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
        """Return (size, inode, time of the last change) of the file; (size,) for a packed name."""
        try:
            about = (self.root / checked_name(name)).stat()
        except OSError as error:
            if error.errno not in NO_FILE:
                raise
            # The pack may be written anew.
            return (self.size(name),)
        return about.st_size, about.st_ino, about.st_mtime_ns

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` of the bytes under a name, from byte `offset` on."""
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
        """Shorten a log to its first `size` bytes, durably."""
        held = self.size(name)
        if not 0 <= size <= held:
            raise ValueError(f"{name!r} has {held} bytes and cannot be cut to {size}")
        descriptor = self._log_descriptor(name, create=False)
        os.ftruncate(descriptor, size)
        self._sync_log(descriptor)

    def sketch(self, name: str, data: bytes) -> None:
        """Write or replace a file that can be rebuilt from others, in one step, unsynced."""
        path = self._path(name)
        if self._is_vacant(name, path):
            make_private_folders(path.parent, self._sync_folder)
        self._log_open.close(name)
        self._temporaries.make(path.parent, data, durable=False).replace(path)

    def leftovers(self) -> list[str]:
        """Return the names of the temporary files that a crash left, sorted."""
        return self._temporaries.leftovers()

    def sweep(self) -> list[str]:
        """Remove temporary files of a crash, sync, and return their names. For the writer alone."""
        # A crash may have left a name unsynced.
        for folder in (self.root.parent, self.root, *filter(Path.is_dir, self.root.iterdir())):
            self._sync_folder(folder)
        return self._temporaries.sweep()

    def close(self) -> None:
        """Close the open log file, if any. The store stays usable."""
        self._log_open.close()

    def pack(self, names: Collection[str]) -> None:
        """Put the bytes under these names into one new pack, in order; remove their files."""
        fresh = [name for name in names if self.packs.find(name) is None]
        if fresh:
            members = ((name, self.get(name)) for name in fresh)
            self.put(self.packs.next_name(), pack_bytes(members))
        if self.packs.all():  # the name of one that was made before a call was cut short
            self._sync_folder(self.root / FOLDER)
        paths = [self._path(name) for name in names if self._is_also_packed(name)]
        # The pack is durable and was read back by now.
        for path in paths:
            path.unlink(missing_ok=True)
        for folder in dict.fromkeys(path.parent for path in paths):
            self._sync_folder(folder)

    def unpack(self) -> None:
        """Give every packed name a file of its own, and remove the packs. Raises CorruptPage."""
        for held in self.packs.all():
            for name in held.index.members:
                self.plain(name)
            self.delete(f"{FOLDER}/{held.path.name}")

    def drop(self, names: Collection[str]) -> None:
        """Remove names from their packs, which are written anew. A name in no pack is ignored.
        Raises CorruptPage for a damaged pack; the packs after it stay unchanged."""
        gone = {*names}
        for held in dict.fromkeys(filter(None, map(self.packs.find, gone))):
            if kept := [name for name in held.index.members if name not in gone]:
                members = ((name, held.read(name, 0, held.size(name))) for name in kept)
                self.put(self.packs.next_name(), pack_bytes(members))
            self.delete(f"{FOLDER}/{held.path.name}")

    def plain(self, name: str) -> None:
        """Give a packed name a file of its own, and keep the pack. No-op for any other name."""
        if self._is_packed(name, path := self._path(name)):
            self._put_new(path, self.get(name))
            self._sync_folder(path.parent)

    def _is_packed(self, name: str, path: Path) -> bool:
        """Return True when a name lies in a pack and has no file of its own."""
        return not path.is_file() and self.packs.find(name) is not None

    def _is_also_packed(self, name: str) -> bool:
        """Return True when a pack holds the same bytes as the name's own file."""
        data = self.get(name)
        with suppress(CorruptPage):  # `problems` tells of it
            return self.packs.read(name, 0, len(data) + 1) == data
        return False

    def _path(self, name: str) -> Path:
        """Return the path of `name`. Raises OutsideStore when a link leads out of the root."""
        path = self.root / checked_name(name)
        if not is_within(path, self.root):
            raise OutsideStore(name)
        return path

    def _is_vacant(self, name: str, path: Path) -> bool:
        """Return True when `path` is free, False when a file is there. Raises PageExists when a
        folder is there, or when a file has the path of a folder above `path`."""
        if path.is_file():
            return False
        folders = map(self.root.joinpath, parent_folders(name))
        odd = path.exists() and not path.is_file()  # asked again: it may have come just now
        if odd or any(folder.exists() and not folder.is_dir() for folder in folders):
            raise PageExists(name)
        return True

    def _put_new(self, path: Path, data: bytes) -> bool:
        """Write a new file in one step. Return False when another writer took the path first."""
        make_private_folders(path.parent, self._sync_folder)
        return put_if_absent(
            path,
            lambda: self._temporaries.make(path.parent, data, durable=self.durable),
            self.root / PLACING,
        )

    def _log_descriptor(self, name: str, *, create: bool) -> int:
        """Return the descriptor of a log, open to append. Raises PageExists for a packed log."""
        path = self._path(name)

        def begun() -> int:
            if self._is_packed(name, path):
                raise PageExists(name)
            # An empty one may have been made by a writer that died before the folder was synced.
            new = self._is_vacant(name, path) or not path.stat().st_size
            return open_log(path, self._sync_folder, new=new, create=create)

        return self._log_open.descriptor(name, path, begun)
