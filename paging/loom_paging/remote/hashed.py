"""Objects called by the sha256 of what they hold: pages and merged objects.

They are read whole, so that each read is held against the name, and may be kept on this machine,
for every process of one user: files of 0600, put in place whole, of which the ones unused longest
go first where all together take more than a bound. Nothing in that folder is believed, and one that
cannot be read or written keeps nothing.

A key also has the epoch of the writer that put it: `pages/<sha256>-<epoch>`. Nobody names an object
of an epoch before, but who found it named when he took over. So a writer who removes what nothing
named, and was stopped in the middle of it, removes nothing that a later one has put meanwhile.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from loom_paging.errors import CorruptPage
from loom_paging.folders import put_file
from loom_paging.plain import make_private_folders
from loom_paging.remote.batch import LET_GO, decode_head
from loom_paging.remote.bucket import Bucket

PAGES, MERGED = "pages", "merged"
MOST = 512 << 20  # bytes of all objects: some sixty merged ones of the largest size
_SHA = re.compile(r"[0-9a-f]{64}")
LOOK = 16  # a share of MOST that this process may write until it looks at all of them again


def cache_folder() -> Path:
    """Where it lies: `loom/objects` in `$XDG_CACHE_HOME`, or in `~/.cache`."""
    given = Path(os.environ.get("XDG_CACHE_HOME") or ".")
    if not given.is_absolute():  # as the XDG specification has it, a relative one does not count
        given = Path.home() / ".cache"
    return given / "loom" / "objects"


class ObjectCache:
    """The objects in a folder. For any thread and process."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder = folder
        self._most = most
        self._written = most  # since this process looked: it looks at its first

    def get(self, sha: str) -> bytes | None:
        """An object; None where there is none that is whole."""
        if not _SHA.fullmatch(sha):
            return None
        path = self._folder / sha
        try:
            data = path.read_bytes()
            if sha256(data).hexdigest() != sha:
                path.unlink()
                return None
            os.utime(path)  # it is in use
        except OSError:
            return None
        return data

    def keep(self, sha: str, data: bytes) -> None:
        """Keep an object that was held against its name."""
        if len(data) > self._most or not _SHA.fullmatch(sha):
            return
        with suppress(OSError):
            make_private_folders(self._folder)
            put_file(self._folder / sha, data)
            self._written += len(data)
            if self._written * LOOK > self._most:
                self._shrink()
                self._written = 0

    def forget(self, shas: list[str]) -> None:
        """Remove objects: what they held was purged."""
        for sha in filter(_SHA.fullmatch, shas):
            (self._folder / sha).unlink(missing_ok=True)

    def _shrink(self) -> None:
        """Remove the objects unused longest until the rest keep to the bound."""
        held = []
        for path in self._folder.iterdir():
            with suppress(OSError):  # another process removed it
                about = path.stat()
                held.append((about.st_mtime, about.st_size, path))
        total = sum(size for _, size, _ in held)
        for _, size, path in sorted(held):
            if total <= self._most:
                return
            path.unlink(missing_ok=True)
            total -= size


def hashed_key(folder: str, data: bytes, epoch: int) -> str:
    """The key under which the writer of an epoch puts bytes."""
    return f"{folder}/{sha256(data).hexdigest()}-{epoch}"


def sha_in_key(key: str) -> str:
    """The sha256 that a key has in it."""
    return key.partition("/")[2].partition("-")[0]


def is_hashed(key: str) -> bool:
    """True for the key of such an object."""
    return key.startswith((f"{PAGES}/", f"{MERGED}/"))


def put_hashed(bucket: Bucket, key: str, data: bytes) -> str:
    """Put one, and give its key; it may be there. Raises CorruptPage when other bytes are."""
    if not bucket.create(key, data):
        _verify_object(key, bucket.read(key))
    return key


def read_object(bucket: Bucket, key: str, cache: ObjectCache | None) -> bytes:
    """Return one of them, or a batch of the log, whole and verified; what is hashed comes from this
    machine where it is kept. Raises KeyError, CorruptPage and CorruptJournal."""
    if not is_hashed(key):
        if (data := bucket.read(key)) == LET_GO:
            raise KeyError(key)
        decode_head(key, data)
        return data
    sha = sha_in_key(key)
    if cache is not None and (held := cache.get(sha)) is not None:
        return held
    data = _verify_object(key, bucket.read(key))
    if cache is not None:
        cache.keep(sha, data)
    return data


def _verify_object(key: str, data: bytes) -> bytes:
    expected, found = sha_in_key(key), sha256(data).hexdigest()
    if found != expected:
        raise CorruptPage(key, expected, found)
    return data
