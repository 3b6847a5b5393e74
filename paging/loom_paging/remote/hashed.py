"""Objects named by the sha256 of their bytes: pages and merged objects.

They are read whole, so that each read is checked against the name. This machine may keep copies,
for every process of one user: files of 0600, put in place whole; above a bound, those unused
longest are removed. A copy is verified before use; an unusable folder keeps no copies.

A key also has the epoch of the writer that put the object: `pages/<sha256>-<epoch>`. A later writer
names an object of an earlier epoch only if the log named it at the takeover. So a writer stopped
while it removed unnamed objects cannot later remove an object that a later writer put."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from loom_paging.errors import CorruptPage
from loom_paging.folders import replace_file
from loom_paging.plain import make_private_folders
from loom_paging.remote.batch import LET_GO, decode_head
from loom_paging.remote.bucket import Bucket

PAGES, MERGED = "pages", "merged"
MOST = 512 << 20  # bytes of all objects: some sixty merged ones of the largest size
_SHA = re.compile(r"[0-9a-f]{64}")
LOOK = 16  # a share of MOST that this process may write until it looks at all of them again


def cache_folder() -> Path:
    """Return the folder of the copies: `loom/objects` in `$XDG_CACHE_HOME`, else in `~/.cache`."""
    given = Path(os.environ.get("XDG_CACHE_HOME") or ".")
    if not given.is_absolute():  # as the XDG specification has it, a relative one does not count
        given = Path.home() / ".cache"
    return given / "loom" / "objects"


class ObjectCache:
    """Copies of objects in a folder, at most `most` bytes in all. For any thread and process."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder = folder
        self._most = most
        self._written = most  # since this process looked: it looks at its first

    def get(self, sha: str) -> bytes | None:
        """Return the bytes of the object with this sha256, None when no undamaged copy exists."""
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
        """Write a copy of an object. The caller must have verified its bytes."""
        if len(data) > self._most or not _SHA.fullmatch(sha):
            return
        with suppress(OSError):
            make_private_folders(self._folder)
            replace_file(self._folder / sha, data)
            self._written += len(data)
            if self._written * LOOK > self._most:
                self._shrink()
                self._written = 0

    def forget(self, shas: list[str]) -> None:
        """Remove the copies of these objects, after their bytes were purged."""
        for sha in filter(_SHA.fullmatch, shas):
            (self._folder / sha).unlink(missing_ok=True)

    def _shrink(self) -> None:
        """Remove copies, those unused longest first, until at most `most` bytes are left."""
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
    """Return the key `<folder>/<sha256>-<epoch>` for these bytes; `epoch` is the writer's."""
    return f"{folder}/{sha256(data).hexdigest()}-{epoch}"


def sha_in_key(key: str) -> str:
    """Return the sha256 that a hashed key contains: `pages/<sha256>-<epoch>` → `<sha256>`."""
    return key.partition("/")[2].partition("-")[0]


def is_hashed(key: str) -> bool:
    """Return True for the key of a page or merged object: these have their sha256 in the key."""
    return key.startswith((f"{PAGES}/", f"{MERGED}/"))


def put_hashed(bucket: Bucket, key: str, data: bytes) -> str:
    """Put an object unless its key is taken, and return the key. Raises CorruptPage when the object
    under this key has other bytes."""
    if not bucket.create(key, data):
        _verify_object(key, bucket.read(key))
    return key


def read_object(bucket: Bucket, key: str, cache: ObjectCache | None) -> bytes:
    """Return the verified bytes of a hashed object or of a batch. `cache` may hold a copy. Raises
    KeyError, CorruptPage (damaged object) and CorruptJournal (damaged batch)."""
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
