"""Find the workspaces that lie below an address, for messages about one that has none itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from loom.text import visible
from loom_paging.names import lawful
from loom_paging.remote.address import bucket_of, without_options
from loom_paging.remote.bucket import Bucket

LOG = "log"  # the folder of objects that every workspace has, from the moment it is first opened
NAMED = 8  # workspaces that an error names
LOOKS = 100  # at folders, each a request, for those


def is_begun(address: str) -> bool:
    """True where a workspace was opened to be written, whatever has come into it since."""
    return _has_log(_below(address))


def workspaces_below(address: str, looks: int | None = None) -> Iterator[str]:
    """The names of the folders directly below an address that are workspaces, sorted; of the first
    `looks` folders alone. A request each, and one before. Raises StoreUnreachable."""
    bucket = _below(address)
    names = (name for name in bucket.folders("") if lawful(name))
    return (name for name in islice(names, looks) if _has_log(bucket.below(name)))


def no_workspace_at(address: str) -> str:
    """Return the message for an address without a workspace; it names those directly below."""
    place = without_options(address)
    names = list(islice(workspaces_below(address, LOOKS), NAMED + 1))
    more = " and more" if len(names) > NAMED else ""
    below = f"; below it: {visible(', '.join(names[:NAMED]))}{more}" if names else ""
    return f"there is no workspace at {place}{below}"


def _below(address: str) -> Bucket:
    return bucket_of(without_options(address))


def _has_log(bucket: Bucket) -> bool:
    return LOG in bucket.folders("")
