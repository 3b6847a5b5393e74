"""Recorded sessions that lie on an object store, brought to the machine that replays them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from msgspec.structs import replace

from loom.cli.jobs import ReplayJob
from loom.replay.importers import BadSession
from loom.rewrite.mirror import SESSION_ENDINGS
from loom_paging.remote.address import bucket_of
from loom_paging.remote.bucket import NoObject


@contextmanager
def nearby(job: ReplayJob) -> Iterator[ReplayJob]:
    """The job, its file brought to this machine where it is not here."""
    if not job.source or job.path.exists():
        yield job
        return
    with TemporaryDirectory(prefix="loom-sessions-") as folder:
        yield replace(job, path=fetched(job.source, Path(folder)))


def fetched(address: str, folder: Path) -> Path:
    """Copy the file at an address, or all below it that may be a session, into a folder."""
    place = address.rstrip("/")
    above, _, name = place.rpartition("/")
    if not urlsplit(place).path:
        above, name = place, ""
    bucket = bucket_of(above)
    keys = [key for key in bucket.keys(name) if key.endswith(SESSION_ENDINGS)] or [name]
    for key in keys:
        if ".." in PurePosixPath(key).parts:
            continue
        try:
            data = bucket.read(key)
        except NoObject:
            raise BadSession(Path(address), 0, "no session lies there") from None
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_bytes(data)
    return folder / name
