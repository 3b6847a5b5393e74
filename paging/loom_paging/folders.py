"""Writing files so that they are durable, and whole or not there at all.

On macOS `fsync` hands bytes to the drive, which keeps them in its own cache, and a power cut
empties that cache. There F_FULLFSYNC has the drive write them down. A file system that does not
know F_FULLFSYNC (one of a network, or of another system) refuses, and gets a plain `fsync`; an
error of the disk is raised."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Collection
from errno import EINVAL, ENODEV, ENOSYS, ENOTSUP, ENOTTY, EOPNOTSUPP
from itertools import count
from pathlib import Path

from filelock import FileLock

from loom_paging.errors import PageExists, StoreReplaced
from loom_paging.names import TEMPORARY
from loom_paging.plain import (
    BINARY,
    make_private_folders,
    open_plain_file,
    open_private_file,
    plain_files_below,
)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PLACING = f"{TEMPORARY}lock"  # held where a file system has no hard links; never swept
_REFUSED = frozenset({EINVAL, ENODEV, ENOSYS, ENOTSUP, ENOTTY, EOPNOTSUPP})


def flush(descriptor: int) -> None:
    """Make the content of an open file or folder survive a power cut. Raises OSError."""
    if not _flush_drive_cache(descriptor):
        os.fsync(descriptor)


def flush_data(descriptor: int) -> None:
    """Make the bytes and size of an open file survive a power cut; its times may be left out."""
    if not _flush_drive_cache(descriptor):
        getattr(os, "fdatasync", os.fsync)(descriptor)


def _flush_drive_cache(descriptor: int) -> bool:
    """Tell the drive to write its cache to disk. Return False where this cannot be done."""
    command = getattr(fcntl, "F_FULLFSYNC", None)
    if command is None:
        return False
    try:
        fcntl.fcntl(descriptor, command)
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Make the names of the files in a folder survive a power cut. No-op on Windows."""
    if os.name != "nt":  # Windows cannot sync a folder
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except PermissionError:  # a folder may be written to that cannot be read
            return
        try:
            flush(descriptor)
        finally:
            os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Sync a folder and every file and folder below it, so that all survive a power cut."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            sync_folder(path)
        elif path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                flush(file.fileno())


def file_holds(path: Path, data: bytes) -> bool:
    """Return True when there is a file at `path` whose content is exactly `data`."""
    try:
        with open_plain_file(path) as file:
            return os.fstat(file.fileno()).st_size == len(data) and file.read() == data
    except FileNotFoundError:  # deleted just now, or no plain file
        return False


def write_or_remove(path: Path, data: bytes, *, durable: bool) -> None:
    """Write `data` to a file with mode 0600, synced if `durable`. On an error remove the file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY
    try:
        with os.fdopen(open_private_file(path, flags), "wb", buffering=0) as file:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            if durable:
                flush(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def replace_file(place: Path, data: bytes) -> None:
    """Write or replace the file `place`, with mode 0600, in one step. Nothing is synced."""
    making = place.parent / f"{TEMPORARY}{secrets.token_hex(8)}"
    write_or_remove(making, data, durable=False)
    try:
        making.replace(place)
    finally:
        making.unlink(missing_ok=True)


def put_if_absent(path: Path, temporary: Callable[[], Path], lock: Path) -> bool:
    """Create the file `path` in one step. Return False, and change nothing, when `path` exists.

    `temporary` writes the new file under another name and returns the path of that file. `lock` is
    a lock file, used only on a file system without hard links."""
    while True:
        made = temporary()
        try:
            path.hardlink_to(made)
        except FileExistsError:
            return False
        except FileNotFoundError:
            continue  # a writer that has just opened the store swept it: once more
        except OSError:  # no hard links here, and a rename would replace: one writer at a time
            with FileLock(lock, mode=0o600):
                if path.exists():
                    return False
                made.rename(path)
        finally:
            made.unlink(missing_ok=True)
        return True


class Temporaries:
    """The temporary files below the folder `root`, each in the folder of its final file. `others`
    names folders directly in `root` that belong to other writers; files in `others` are left alone.
    """

    def __init__(self, root: Path, others: Collection[str]) -> None:
        self._root = root
        self._others = frozenset(others)
        # Process ids repeat between machines, and between the stores of one process.
        self._mark = secrets.token_hex(4)
        self._numbers = count()

    def make(self, folder: Path, data: bytes, *, durable: bool) -> Path:
        """Write `data` to a new temporary file in `folder`, and return its path."""
        path = folder / f"{TEMPORARY}{os.getpid()}-{self._mark}-{next(self._numbers)}"
        write_or_remove(path, data, durable=durable)
        return path

    def leftovers(self) -> list[str]:
        """Return the paths of all temporary files, relative to the root and sorted."""
        found = (
            name.split("/")
            for name in plain_files_below(self._root, self._root, "")
            if name != PLACING
        )
        return sorted(
            "/".join(parts)
            for parts in found
            if parts[-1].startswith(TEMPORARY) and parts[0] not in self._others
        )

    def sweep(self) -> list[str]:
        """Remove the temporary files, and return their relative paths. For the store's writer."""
        swept = self.leftovers()
        for name in swept:
            (self._root / name).unlink(missing_ok=True)
        return swept


class OpenLog:
    """The log file that a store appended to last, kept open between calls. `root` is the folder of
    the store."""

    def __init__(self, root: Path) -> None:
        self._root = root
        # One file only: an agent appends to one segment for days, and descriptors are few.
        self._open: tuple[str, int] | None = None

    def descriptor(self, name: str, path: Path, begin: Callable[[], int]) -> int:
        """Return the file descriptor of the log `name`. If this log is not open, close the open log
        and call `begin`, which opens this log and returns its descriptor.

        Raises PageExists when the file has a second name, and StoreReplaced when someone removed or
        replaced the file since it was opened."""
        if self._open is None or self._open[0] != name:
            self.close()
            self._open = name, begin()
        descriptor = self._open[1]
        about = os.fstat(descriptor)
        if about.st_nlink > 1:
            self.close(name)
            raise PageExists(name)
        if not about.st_nlink or not (path.exists() and os.path.samestat(about, path.stat())):
            raise StoreReplaced(str(self._root), f"{name} was removed or replaced")
        return descriptor

    def close(self, name: str | None = None) -> None:
        """Close the open log. With a `name`, close it only if it is the log of this name."""
        if self._open is not None and name in (None, self._open[0]):
            descriptor, self._open = self._open[1], None
            os.close(descriptor)


def open_log(path: Path, sync: Callable[[Path], None], *, new: bool, create: bool) -> int:
    """Open a log to append, and return its file descriptor. `create` makes a missing file. With
    `new`, `sync(folder)` is called to make the name of the file durable."""
    if new and create:
        make_private_folders(path.parent, sync)
    descriptor = open_private_file(path, os.O_WRONLY | os.O_APPEND | BINARY | os.O_CREAT * create)
    try:
        if new:
            sync(path.parent)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
