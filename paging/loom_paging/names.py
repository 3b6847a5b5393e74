"""The rule for names in a store: plain relative paths, safe on every file system.

A name has at most 1,024 bytes of UTF-8, each part at most 255 (the limit of ext4, APFS and NTFS).
Two names are reserved: the lock file at the root, and the prefix of files not yet in place."""

from __future__ import annotations

import re
from functools import lru_cache

from loom_paging.errors import OutsideStore

LOCK = "LOCK"  # the lock file, at the root of a store
TEMPORARY = ".tmp-"  # how the name of a file not yet in place begins
_LONGEST_NAME, _LONGEST_PART = 1024, 255
_DRIVE = re.compile(r"[A-Za-z]:")


@lru_cache(maxsize=4096)
def checked_name(name: str) -> str:
    """Return `name` when it may be a name in a store. Raise OutsideStore otherwise."""
    if not name or "\\" in name or "\0" in name or _DRIVE.match(name):
        raise OutsideStore(name)
    try:
        size = len(name.encode())
        parts = [part.encode() for part in name.split("/")]
    except UnicodeEncodeError:
        raise OutsideStore(name) from None
    lawful = all(
        part not in (b"", b".", b"..")
        and len(part) <= _LONGEST_PART
        and not part.startswith(TEMPORARY.encode())
        for part in parts
    )
    # Compared without case: LOCK and lock are one file on macOS and Windows.
    if not lawful or size > _LONGEST_NAME or parts[0].upper() == LOCK.encode():
        raise OutsideStore(name)
    return name


def parent_folders(name: str) -> list[str]:
    """Return the folders of a name, outermost first: `"a/b/c"` → `["a", "a/b"]`."""
    parts = name.split("/")[:-1]
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def is_lawful(name: str) -> bool:
    """Return True when a name that was found on disk can be a name in a store."""
    try:
        checked_name(name)
    except OutsideStore:
        return False
    return True
