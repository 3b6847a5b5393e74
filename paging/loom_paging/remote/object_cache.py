"""Objects that were read once, kept on this machine: for every process of one user.

They are called by their sha256, wherever they came from, and held against it at every read, so that
nothing in the folder is believed. Files are 0600, put in place whole, and the ones unused longest
go first where all together take more than a bound. A cache that cannot be read or written is none.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from loom_paging.plain import BINARY, private_file, private_folders

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
            private_folders(self._folder)
            self._put(sha, data)
            self._written += len(data)
            if self._written * LOOK > self._most:
                self._shrink()
                self._written = 0

    def forget(self, shas: list[str]) -> None:
        """Remove objects: what they held was purged."""
        for sha in filter(_SHA.fullmatch, shas):
            (self._folder / sha).unlink(missing_ok=True)

    def _put(self, sha: str, data: bytes) -> None:
        making = self._folder / f".{token_hex(8)}"
        try:
            descriptor = private_file(making, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            making.replace(self._folder / sha)
        finally:
            making.unlink(missing_ok=True)

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
