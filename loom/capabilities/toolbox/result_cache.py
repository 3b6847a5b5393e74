"""Results kept on disk by what they came from: one file each, the longest unused removed."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from msgspec import DecodeError, ValidationError, msgpack

from loom.capabilities.plain_file import contents
from loom.capabilities.toolbox.processes import Ran
from loom.disk import private_file, private_folders

KEPT = 256  # results
SUFFIX = ".ran"
LARGEST = 64 << 20  # bytes of a file that is read


class ResultCache:
    """Results in the folder `folder`, made when the first is kept; at most `most` of them.

    Nothing here may fail a run: what cannot be read is not there, what cannot be written is not
    kept. Any number of threads and processes may share a folder.
    """

    def __init__(self, folder: Path, most: int = KEPT) -> None:
        self.folder = folder
        self.most = most

    def get(self, key: str) -> Ran | None:
        """The result kept under a key."""
        path = self.folder / f"{key}{SUFFIX}"
        try:
            data = contents(path, LARGEST)
            digest, body = data[:32], data[32:]
            if hashlib.sha256(body).digest() != digest:
                return None
            found = msgpack.decode(body, type=Ran)
            os.utime(path)  # used just now
        except (OSError, DecodeError, ValidationError):
            return None
        return found

    def put(self, key: str, ran: Ran) -> None:
        """Keep a result, whole or not at all, for its owner's eyes."""
        body = msgpack.encode(ran)
        path = self.folder / f"{key}{SUFFIX}"
        # Of the same suffix: one a crash left behind is the longest unused some day.
        partial = self.folder / f".{secrets.token_hex(8)}{SUFFIX}"
        with suppress(OSError):
            private_folders(self.folder)
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                with os.fdopen(private_file(partial, flags), "wb") as file:
                    file.write(hashlib.sha256(body).digest() + body)
                partial.replace(path)
            finally:
                partial.unlink(missing_ok=True)
            self._bound()

    def _bound(self) -> None:
        """Remove the longest unused beyond the most that are kept."""
        ages = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            with suppress(FileNotFoundError):
                ages.append((path.stat(follow_symlinks=False).st_mtime_ns, path))
        for _, path in sorted(ages)[: max(len(ages) - self.most, 0)]:
            path.unlink(missing_ok=True)
