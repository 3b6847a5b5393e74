"""Who writes to a workspace now: the process that has its lock, or who has its lease elsewhere."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from loom.cli.elsewhere import address_of
from loom.lazy import lazy_re
from loom.text import one_line, visible
from loom_paging import writer_of
from loom_paging.remote.address import lease_at
from loom_paging.remote.lease import seconds_left

CHARS = 60  # of what a lease says of its holder, which anybody who can write there may have put
UNKNOWN = 0
_PROCESS = lazy_re(r"process ([0-9]{1,10})\b")


class LeaseHolder(Struct, frozen=True):
    """Who has a workspace open: its process id (0 when unknown), what it is called, and the seconds
    its lease yet runs, None for a folder, which is locked for as long as the process lives."""

    process: int
    name: str
    lease_seconds: int | None = None

    @property
    def told(self) -> str:
        """Who it is, and for how long: "process 4711 on host, lease 21s"."""
        if self.lease_seconds is None:
            return self.name
        return f"{self.name}, lease {self.lease_seconds:,}s"


def holder_at(folder: Path) -> LeaseHolder | None:
    """Who has the workspace in a folder open, or the one that the folder is the mirror of; None for
    nobody. Raises StoreUnreachable."""
    if (address := address_of(folder)) is None:
        process = writer_of(folder)
        return None if process is None else LeaseHolder(process, f"process {process or '?'}")
    if (note := lease_at(address)) is None:
        return None
    number = _PROCESS.match(note.holder)
    name = visible(one_line(note.holder, CHARS)) or "somebody"
    return LeaseHolder(int(number[1]) if number else UNKNOWN, name, seconds_left(note))
