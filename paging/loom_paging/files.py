"""A store of plain files in a folder, each readable without this program.

A page is written to a temporary file in its own folder, synced, and given its name by a hard link:
linking fails where a name exists, so a page is never replaced, and a crash leaves either no page or
a whole one. The folder is synced last; only then does `put` return. Files are 0600, folders 0700.
Temporary files a crash left are no names of the store; the one writer removes them with `sweep`.

One log is open at a time, the one appended to last: an agent writes one segment of its journal for
days, and descriptors are few.

`put` is put-if-absent between threads, processes and stores of one folder: of several writers of
one name exactly one wins. `get`, `has`, `delete` may run beside it; all else is for one thread.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection
from contextlib import suppress
from io import FileIO
from itertools import count
from pathlib import Path

from filelock import FileLock

from loom_paging.errors import MissingPage, OutsideStore, PageExists, StoreReplaced
from loom_paging.folders import holds, make_folder, sync_folder, write_whole
from loom_paging.names import TEMPORARY, checked, lawful, parents
from loom_paging.plain import BINARY, NO_FILE, opened, walk, within
from loom_paging.private import private_file
from loom_paging.store import span
from loom_paging.syncs import flush, flush_data

_PLACING = f"{TEMPORARY}lock"  # held where a file system has no hard links; never swept
_LARGEST = 1 << 30  # bytes of a page or a log that is read whole: more is none of ours


class FileStore:
    """The store under `root`; MissingPage when there is no such folder and `create` is False.

    `durable=False` skips every sync, for benchmarks; nothing else changes. `others` are folders at
    the top that other writers use at the same time: what they have half made is not swept.
    """

    def __init__(
        self,
        root: Path,
        *,
        durable: bool = True,
        create: bool = True,
        others: Collection[str] = (),
    ) -> None:
        self.durable = durable
        self.others = frozenset(others)
        if create:
            make_folder(root, self._sync_folder)
        elif not root.is_dir():
            raise MissingPage(".", f"{root}, which is not a folder")
        self.root = root.resolve()
        self._open: tuple[str, int] | None = None  # the log appended to last, and its descriptor
        # Process ids repeat between machines, and between the stores of one process.
        self._mark = secrets.token_hex(4)
        self._temporaries = count()

    # --- pages ---

    def put(self, name: str, data: bytes) -> None:
        """Write a page durably; see Store."""
        path = self._path(name)
        if not (self._vacant(name, path) and self._placed(path, data)):
            if not holds(path, data):
                raise PageExists(name)
            # It may have been written by a process that died before its last sync.
            self._sync_file(path)
        self._sync_folder(path.parent)

    def get(self, name: str) -> bytes:
        """Return all bytes under `name`, at most a gibibyte; see Store."""
        with self._reading(name) as file:
            size = os.fstat(file.fileno()).st_size
            if size > _LARGEST:
                raise MissingPage(name, f"{self.root}, where a file of {size:,} bytes lies")
            return file.read()

    def has(self, name: str) -> bool:
        """Tell whether `name` holds bytes."""
        return self._path(name).is_file()

    def names(self, prefix: str = "") -> list[str]:
        """List the names that start with `prefix`, sorted."""
        folder = prefix.rpartition("/")[0]
        if folder and not lawful(folder):
            return []
        found = walk(self.root, self.root / folder, folder + "/" if folder else "")
        return sorted(name for name in found if name.startswith(prefix) and lawful(name))

    def link(self, existing: str, new: str) -> None:
        """Make `new` a hard link of `existing`, or a copy where links are impossible."""
        source, path = self._path(existing), self._path(new)
        if not source.is_file():
            raise self._missing(existing)
        if not self._vacant(new, path):
            self.put(new, self.get(existing))
            return
        make_folder(path.parent, self._sync_folder)
        try:
            path.hardlink_to(source)
        except FileExistsError:
            raise PageExists(new) from None
        except OSError:
            self.put(new, self.get(existing))
        self._sync_folder(path.parent)

    def delete(self, name: str) -> None:
        """Forget one name, and the folders it leaves empty."""
        path = self._path(name)
        if not path.is_file():
            raise self._missing(name)
        self._close_log(name)
        path.unlink()
        self._sync_folder(path.parent)
        for folder in reversed(parents(name)):
            with suppress(OSError):  # not empty
                (self.root / folder).rmdir()

    # --- logs ---

    def append(self, name: str, data: bytes) -> None:
        """Add to the end of a log durably; see Store. On OSError part of `data` may be there."""
        descriptor = self._log(name, create=True)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        self._sync(descriptor)

    def size(self, name: str) -> int:
        """Return the number of bytes under `name`."""
        path = self._path(name)
        if not path.is_file():
            raise self._missing(name)
        return path.stat().st_size

    def mark(self, name: str) -> tuple[int, ...]:
        """Size, inode and time of the last change; see Markable. One question to the system."""
        try:
            about = (self.root / checked(name)).stat()
        except OSError as error:
            if error.errno not in NO_FILE:
                raise
            raise self._missing(name) from None
        return about.st_size, about.st_ino, about.st_mtime_ns

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`; see Store."""
        part = span(offset, length)
        with self._reading(name) as file:
            file.seek(part.start)
            return file.read(length)

    def truncate(self, name: str, size: int) -> None:
        """Cut a log back to `size` bytes durably; see Store."""
        held = self.size(name)
        if not 0 <= size <= held:
            raise ValueError(f"{name!r} has {held} bytes and cannot be cut to {size}")
        descriptor = self._log(name, create=False)
        os.ftruncate(descriptor, size)
        self._sync(descriptor)

    # --- views, and the end ---

    def sketch(self, name: str, data: bytes) -> None:
        """Write or replace a derived view in one step, without a sync."""
        path = self._path(name)
        if self._vacant(name, path):
            make_folder(path.parent, self._sync_folder)
        self._close_log(name)
        self._temporary(path.parent, data, durable=False).replace(path)

    def leftovers(self) -> list[str]:
        """List the temporary files a crash left, sorted."""
        found = (name.split("/") for name in walk(self.root, self.root, "") if name != _PLACING)
        return sorted(
            "/".join(parts)
            for parts in found
            if parts[-1].startswith(TEMPORARY) and parts[0] not in self.others
        )

    def sweep(self) -> list[str]:
        """Remove the temporary files a crash left; for the one writer only."""
        swept = self.leftovers()
        for name in swept:
            (self.root / name).unlink(missing_ok=True)
        return swept

    def close(self) -> None:
        """Close the log that is open; the store stays usable."""
        if self._open is not None:
            self._close_log(self._open[0])

    # --- below: files and descriptors ---

    def _path(self, name: str) -> Path:
        """Return where `name` lies; OutsideStore when a symbolic link leads out of the root."""
        path = self.root / checked(name)
        if not within(path, self.root):
            raise OutsideStore(name)
        return path

    def _reading(self, name: str) -> FileIO:
        try:
            return opened(self._path(name))
        except FileNotFoundError:
            raise self._missing(name) from None

    def _missing(self, name: str) -> MissingPage:
        return MissingPage(name, str(self.root))

    def _vacant(self, name: str, path: Path) -> bool:
        """Tell whether `name` is free; PageExists when a file and a folder would collide."""
        if path.is_file():
            return False
        folders = map(self.root.joinpath, parents(name))
        odd = path.exists() and not path.is_file()  # asked again: it may have come just now
        if odd or any(folder.exists() and not folder.is_dir() for folder in folders):
            raise PageExists(name)
        return True

    def _placed(self, path: Path, data: bytes) -> bool:
        """Bring new bytes under a free name in one step; False when another writer was first."""
        make_folder(path.parent, self._sync_folder)
        while True:
            temporary = self._temporary(path.parent, data, durable=self.durable)
            try:
                path.hardlink_to(temporary)
            except FileExistsError:
                return False
            except FileNotFoundError:
                continue  # a writer that has just opened the store swept it: once more
            except OSError:  # no hard links here, and a rename would replace: one writer at a time
                with FileLock(self.root / _PLACING, mode=0o600):
                    if path.exists():
                        return False
                    temporary.rename(path)
            finally:
                temporary.unlink(missing_ok=True)
            return True

    def _temporary(self, folder: Path, data: bytes, *, durable: bool) -> Path:
        path = folder / f"{TEMPORARY}{os.getpid()}-{self._mark}-{next(self._temporaries)}"
        write_whole(path, data, durable=durable)
        return path

    def _log(self, name: str, *, create: bool) -> int:
        """Return the open descriptor of a log; PageExists when its bytes have a second name.

        StoreReplaced when someone has removed or replaced the file since it was opened: bytes
        written to it would be lost.
        """
        path = self._path(name)
        if self._open is None or self._open[0] != name:
            self.close()
            # An empty one may have been made by a writer that died before the folder was synced.
            new = self._vacant(name, path) or not path.stat().st_size
            if new and create:
                make_folder(path.parent, self._sync_folder)
            opened = private_file(path, os.O_WRONLY | os.O_APPEND | BINARY | os.O_CREAT * create)
            try:
                if new:
                    self._sync_folder(path.parent)
            except BaseException:
                os.close(opened)
                raise
            self._open = name, opened
        descriptor = self._open[1]
        about = os.fstat(descriptor)
        if about.st_nlink > 1:
            self._close_log(name)
            raise PageExists(name)
        if not about.st_nlink or not (path.exists() and os.path.samestat(about, path.stat())):
            raise StoreReplaced(str(self.root), f"{name} was removed or replaced")
        return descriptor

    def _close_log(self, name: str) -> None:
        if self._open is not None and self._open[0] == name:
            descriptor, self._open = self._open[1], None
            os.close(descriptor)

    def _sync(self, descriptor: int) -> None:
        if self.durable:
            flush_data(descriptor)

    def _sync_file(self, path: Path) -> None:
        if self.durable:
            with path.open("r+b") as file:
                flush(file.fileno())

    def _sync_folder(self, folder: Path) -> None:
        if self.durable:
            sync_folder(folder)
