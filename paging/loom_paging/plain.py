"""Plain files only: opened without waiting, made for their owner alone, and listed.

In the place of a page anything may lie: a pipe nobody writes to, a device, a link to itself. A
reader that opens such a thing must not hang, and must be told that the page is missing.

Files and folders are made with their final mode, so there is no moment at which another user could
open one. A umask can only take permissions away, which could lock the owner out: those are given
back at once. The umask itself belongs to the process, and stays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from errno import EISDIR, ELOOP, ENODEV, ENOENT, ENOTDIR, ENXIO, EOPNOTSUPP
from io import FileIO
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would translate line ends
NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer opens at once
_AT_ONCE: int = os.O_RDONLY | BINARY | NO_WAIT
_FILE, _FOLDER = 0o600, 0o700
# What opening a name gives when it, or a folder of it, is not what it should be.
NO_FILE = frozenset({EISDIR, ELOOP, ENODEV, ENOENT, ENOTDIR, ENXIO, EOPNOTSUPP})


def open_plain_file(path: Path) -> FileIO:
    """Return the plain file at `path`, open to read. Raises FileNotFoundError if there is none."""
    try:
        return FileIO(plain_descriptor(path))
    except OSError as error:
        if error.errno not in NO_FILE:
            raise
    raise FileNotFoundError(ENOENT, "there is no plain file", str(path))


def plain_descriptor(path: str | Path, flags: int = 0) -> int:
    """Open the plain file at `path` to read, without waiting, and return its file descriptor.
    Raises OSError for anything that is not a plain file."""
    descriptor = os.open(path, _AT_ONCE | flags)
    mode = os.fstat(descriptor).st_mode
    if not S_ISREG(mode):
        os.close(descriptor)
        if S_ISDIR(mode):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
        raise OSError(ENODEV, "no plain file", str(path))
    return descriptor


def open_private_file(path: str | Path, flags: int) -> int:
    """Open a file with these flags, without waiting, and return its file descriptor. A new file
    gets the mode 0600. Raises OSError for anything that is not a plain file."""
    descriptor = os.open(path, flags | NO_WAIT, _FILE)
    held = os.fstat(descriptor).st_mode
    if not S_ISREG(held):
        os.close(descriptor)
        raise OSError(ENODEV, "no plain file", str(path))
    if held & _FILE != _FILE and hasattr(os, "fchmod"):
        with suppress(OSError):  # not the owner's, or a file system without modes
            os.fchmod(descriptor, held & 0o777 | _FILE)
    return descriptor


def make_private_folder(folder: Path) -> bool:
    """Make one folder with the mode 0700. Return False when there is such a folder already."""
    try:
        folder.mkdir(mode=_FOLDER)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return False
    if os.name != "nt" and folder.stat().st_mode & _FOLDER != _FOLDER:
        folder.chmod(_FOLDER)
    return True


def sync_nothing(_: object) -> None:
    """Do nothing. Stands in for a sync where files need not be durable."""


def make_private_folders(folder: Path, sync: Callable[[Path], None] = sync_nothing) -> None:
    """Make a folder and the missing folders above it, each with the mode 0700. For each new folder
    `sync(parent)` is called, to make its name durable. An error of `sync` is raised, and the new
    folder is removed again."""
    missing = [folder] if not folder.is_dir() else []
    while missing and not missing[-1].parent.is_dir():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        make_private_folder(each)
        try:
            sync(each.parent)
        except BaseException:
            with suppress(OSError):  # another writer has it in use
                each.rmdir()
            raise


def is_within(path: Path, root: Path) -> bool:
    """Return True when `path` lies in the folder `root`, even after its links are followed. `root`
    must have no links in it."""
    text, above = str(path), f"{root}{os.sep}"
    if not text.startswith(above) or f"{os.sep}{os.pardir}" in text:
        return Path(os.path.realpath(path)).is_relative_to(root)
    end = len(above)
    while end >= 0:
        end = text.find(os.sep, end + 1)
        try:
            mode = os.lstat(text if end < 0 else text[:end]).st_mode
        except OSError:  # nothing is there, so nothing below it is
            return True
        if S_ISLNK(mode):
            return Path(os.path.realpath(path)).is_relative_to(root)
    return True


def plain_files_below(root: Path, folder: Path, prefix: str) -> Iterator[str]:
    """Yield the path of every plain file below `folder`: `prefix`, then the path relative to
    `folder`. A link to a file is included when that file lies inside `root`."""
    try:
        entries = list(os.scandir(folder))
    except OSError as error:
        if error.errno not in NO_FILE:
            raise
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from plain_files_below(root, folder / entry.name, f"{prefix}{entry.name}/")
            continue
        path = Path(entry.path)
        if entry.is_file(follow_symlinks=False) or (path.is_file() and is_within(path, root)):
            yield prefix + entry.name
