"""Objects called by the sha256 of what they hold: pages and merged objects.

They are read whole, so that each read is held against the name, and may be kept on this machine.

A key also has the epoch of the writer that put it: `pages/<sha256>-<epoch>`. Nobody names an object
of an epoch before, but who found it named when he took over. So a writer who removes what nothing
named, and was stopped in the middle of it, removes nothing that a later one has put meanwhile.
"""

from __future__ import annotations

from hashlib import sha256

from loom_paging.errors import CorruptPage
from loom_paging.remote.batch import LET_GO, decoded
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.object_cache import ObjectCache

PAGES, MERGED = "pages", "merged"


def key_of(folder: str, data: bytes, epoch: int) -> str:
    """The key under which the writer of an epoch puts bytes."""
    return f"{folder}/{sha256(data).hexdigest()}-{epoch}"


def sha_of(key: str) -> str:
    """The sha256 that a key has in it."""
    return key.partition("/")[2].partition("-")[0]


def is_hashed(key: str) -> bool:
    """True for the key of such an object."""
    return key.startswith((f"{PAGES}/", f"{MERGED}/"))


def put_hashed(bucket: Bucket, key: str, data: bytes) -> str:
    """Put one, and give its key; it may be there. Raises CorruptPage when other bytes are."""
    if not bucket.create(key, data):
        _verified(key, bucket.read(key))
    return key


def read_object(bucket: Bucket, key: str, cache: ObjectCache | None) -> bytes:
    """Return one of them, or a batch of the log, whole and verified; what is hashed comes from this
    machine where it is kept. Raises KeyError, CorruptPage and CorruptJournal."""
    if not is_hashed(key):
        if (data := bucket.read(key)) == LET_GO:
            raise KeyError(key)
        decoded(key, data)
        return data
    sha = sha_of(key)
    if cache is not None and (held := cache.get(sha)) is not None:
        return held
    data = _verified(key, bucket.read(key))
    if cache is not None:
        cache.keep(sha, data)
    return data


def _verified(key: str, data: bytes) -> bytes:
    expected, found = sha_of(key), sha256(data).hexdigest()
    if found != expected:
        raise CorruptPage(key, expected, found)
    return data
