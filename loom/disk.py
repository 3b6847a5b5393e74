"""How files are opened, made and brought to the disk, wherever that is: plain ones alone, and for
their owner alone."""

import os
import secrets
from pathlib import Path

from loom_paging.folders import flush, sync_folder
from loom_paging.plain import (
    BINARY,
    plain_descriptor,
    private_file,
    private_folder,
    private_folders,
)

__all__ = [
    "flush",
    "plain_descriptor",
    "private_file",
    "private_folder",
    "private_folders",
    "put_file",
    "sync_folder",
]


def put_file(place: Path, data: bytes) -> None:
    """Put a file in its place, all of it or nothing, for its owner alone."""
    making = place.parent / f".tmp-{secrets.token_hex(8)}"
    try:
        descriptor = private_file(making, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        making.replace(place)
    finally:
        making.unlink(missing_ok=True)
