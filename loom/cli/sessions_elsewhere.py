"""Recorded sessions that lie on an object store: brought here to be read, or to where they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

from msgspec.structs import replace

from loom.cli.jobs import ReplayJob
from loom.cli.scratch import scratch
from loom.replay.importers import BadSession
from loom_paging.remote.address import bucket_of, is_address
from loom_paging.remote.bucket import NoObject

ENDINGS = (".jsonl", ".json", ".traj", ".eval", ".db")  # of files that may be sessions


@contextmanager
def brought(given: Sequence[str | Path]) -> Iterator[dict[Path, str]]:
    """The path of each session or folder that was given, and its address, "" for a path.

    What lies at an address is copied, and the copy is removed in the end. Raises BadSession where
    nothing lies, and as a store does.
    """
    places = {str(one): _place(str(one)) for one in given}
    if not any(map(is_address, places.values())):
        yield {Path(place): "" for place in places.values()}
        return
    with scratch("loom-sessions-") as folder:
        yield {
            fetched(place, folder / str(at)) if is_address(place) else Path(place): (
                place if is_address(place) else ""
            )
            for at, place in enumerate(places.values())
        }


def placed(job: ReplayJob, brought: dict[Path, str]) -> ReplayJob:
    """A job that says at which address its file lies, where it was brought from one."""
    for path, address in brought.items():
        if address and job.path.is_relative_to(path):
            below = job.path.relative_to(path).as_posix()
            return replace(job, source=address if below == "." else f"{address}/{below}")
    return job


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
    keys = [key for key in bucket.keys(name) if key.endswith(ENDINGS)] or [name]
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


def _place(given: str) -> str:
    """A path, or an address; a folder of this machine is a path however it is given."""
    return unquote(urlsplit(given).path) if given.startswith("file://") else given
