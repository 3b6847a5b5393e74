"""`loom import`: make a workspace from an archive or from a recorded session; all of it or nothing.

An archive may be made with bad intent. So only plain files are taken from it, each under a name
that a store could have given. Refused are links, devices, sparse files, paths that lead out of the
folder, sizes larger than the archive, and two names that the file system treats as equal. Nothing
is compressed, so nothing grows when it is unpacked. The workspace is made in a folder beside its
final place, checked, and then renamed. An interrupt leaves at most a folder whose name begins with
`.tmp-`."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

import loom
from loom import opening
from loom.disk import plain_descriptor
from loom.inputs import Session
from loom.replay.feed import RecordedClock, replay
from loom.rewrite.export import LARGEST, MovedFiles, check_copy
from loom.rewrite.homes import may_move
from loom.rewrite.new_folder import (
    bad_archive_error,
    create_file,
    damaged_workspace_error,
    new_folder_at,
)

BLOCK = 512
HARMLESS = frozenset({"path", "mtime", "atime", "ctime", "uname", "gname", "uid", "gid"})
MAGIC_AT, MAGIC = 257, b"ustar"
NO_TAR = (tarfile.TarError, ValueError, OverflowError, RecursionError, EOFError)


def is_archive(path: Path) -> bool:
    """Return True if the file at `path` is a plain file that begins with a tar header."""
    with os.fdopen(plain_descriptor(path), "rb") as file:
        head = file.read(BLOCK)
    return head[MAGIC_AT : MAGIC_AT + len(MAGIC)] == MAGIC


def unpack_archive(archive: Path, folder: Path, *, as_is: bool = False) -> MovedFiles:
    """Unpack the workspace in `archive` into the new folder `folder`. Return the numbers of its
    files, bytes and workspaces.

    Raises BadInput if the folder holds anything, and CorruptJournal for a damaged workspace unless
    `as_is` is True."""
    with os.fdopen(plain_descriptor(archive), "rb") as file, new_folder_at(folder) as making:
        try:
            _unpack_files(archive, file, making)
        except NO_TAR as error:
            raise bad_archive_error(archive, f"it cannot be read ({error})") from error
        if not any((making / "journal").glob("*")):
            raise bad_archive_error(archive, "it has no journal")
        made = check_copy(making)
        if made.problems and not as_is:
            raise damaged_workspace_error(archive, made.problems)
        return made


def import_session(session: Session, folder: Path, window: int) -> int:
    """Make a workspace in `folder` by replaying a recorded session in a window of `window` tokens.
    Return the number of requests made.

    Raises BadInput, and any error of the replay, such as OverCapacity if `window` is too small."""
    with new_folder_at(folder) as making:
        policy = replace(loom.Policy(), own_tools=False)  # their calls are answered as recorded
        now = RecordedClock(session)
        with opening.open_context(
            making, window=window, policy=policy, durable=False, clock=now
        ) as ctx:
            return sum(1 for _ in replay(ctx, session, now))


def _unpack_files(path: Path, file: BinaryIO, making: Path) -> None:
    """Write each file of the open archive `file`, found at `path`, into the folder `making`. Raises
    BadInput, and the errors of tarfile."""
    size, end = os.fstat(file.fileno()).st_size, 0
    with tarfile.open(fileobj=file, mode="r:") as tar:
        while (member := tar.next()) is not None:
            why, end = _why_unlawful(member, size), member.offset_data + member.size
            if not why and member.isdir():
                continue  # folders are made as they are needed
            if why:
                raise bad_archive_error(path, f"{member.name[:200]!r}: {why}")
            data = tar.extractfile(member)
            assert data is not None
            try:
                with create_file(making / member.name) as made, data:
                    shutil.copyfileobj(data, made)
            except (FileExistsError, NotADirectoryError) as error:
                raise bad_archive_error(
                    path, f"{member.name[:200]!r}: it is there already"
                ) from error
        _check_end(path, file, end)


def _check_end(path: Path, file: BinaryIO, end: int) -> None:
    """Raise BadInput unless the archive's last file, which ends at the byte `end`, is followed by a
    tar's end mark and nothing else."""
    # tarfile does not check this: it takes a damaged header for the end of the archive.
    file.seek(-(-end // BLOCK) * BLOCK)
    zeros, left = 0, file.read(BLOCK)
    while left and not left.strip(b"\0"):
        zeros, left = zeros + len(left), file.read(1 << 20)
    if left or zeros < 2 * BLOCK:
        raise bad_archive_error(path, "it is cut off, or goes on behind its last file")


def _why_unlawful(member: tarfile.TarInfo, size: int) -> str:
    """Return the reason why a member of an archive of `size` bytes is refused, or "" for an
    accepted member."""
    if member.type not in (tarfile.REGTYPE, tarfile.DIRTYPE) or member.issparse():
        return f"it is no plain file (type {member.type!r})"
    if not HARMLESS.issuperset(member.pax_headers):
        return "its header says more than a name"
    if not may_move(member.name) or not member.name.isprintable():
        return "no file of a workspace has such a name"
    if not 0 <= member.size <= LARGEST or (member.size and member.isdir()):
        return f"its size is {member.size:,} bytes"
    if member.offset_data + member.size > size:
        return f"its {member.size:,} bytes are not in the file"
    return ""
