"""The lease of a store: who writes it, and until when. Advice to others; safety never rests on it.

The holder renews the lease while it lives. A writer that finds a running lease does not take over
unless told to. Clocks that differ make it wait too long or too short; only the log fences out."""

from __future__ import annotations

import atexit
import gc
import os
import socket
import threading
import time
from contextlib import suppress
from secrets import token_hex
from weakref import WeakValueDictionary, ref

import msgspec

from loom_paging.errors import BadInput, StoreLocked, StoreUnreachable
from loom_paging.remote.batch import UNREADABLE
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.log_state import LogState
from loom_paging.remote.shared import FILES, FOLDERS

KEY = "lease"
SECONDS = 30.0  # that a lease runs; it is renewed when a third of that is over
LONGEST = 86_400.0  # seconds that it may be asked to run
HOLDER = 100  # characters of who holds it that are told
TRIES = 3  # of a renewal: the next one comes soon
# What a workspace has directly below its prefix; others may have put the last two before it began.
OWN = frozenset({"log", "folds", "merged", "pages", "agents", "forks", KEY, *FOLDERS, *FILES})
SHOWN = 5  # names that are told of what else lies there
PARTING = 2.0  # seconds that a renewal under way is waited for at the end


def process_name() -> str:
    """Return this process in words, for another writer's message: `process 4711 on my-host`."""
    return f"process {os.getpid()} on {socket.gethostname()}"


class LeaseNote(msgspec.Struct, frozen=True):
    """The content of a lease: the writer's name, the number of its takeover (`epoch`), the time at
    which the lease ends (`until`, in seconds since 1970), and the writer's process (`holder`)."""

    writer: str
    epoch: int
    until: float
    holder: str


def read_lease(bucket: Bucket) -> LeaseNote | None:
    """Return the lease of a store, even if it has ended. None when it is missing or unreadable."""
    try:
        return msgspec.json.decode(bucket.read(KEY), type=LeaseNote)
    except (KeyError, *UNREADABLE):
        return None


def running_lease(bucket: Bucket) -> LeaseNote | None:
    """Return the lease of a store if it has not ended yet. Return None otherwise."""
    note = read_lease(bucket)
    return note if note is not None and note.until > time.time() else None


def describe_lease(note: LeaseNote) -> str:
    """Return text for a message: who holds the store, for how long, and how to take it over."""
    holder = "".join(char for char in note.holder if char.isprintable())[:HOLDER]
    return (
        f"{holder} (its lease ends in {seconds_left(note):,} s; an address with ?take=1 takes it"
        " over, and the other can write nothing any more)"
    )


def seconds_left(note: LeaseNote) -> int:
    """Return how long a lease still runs, in whole seconds."""
    return int(min(max(note.until - time.time(), 0), LONGEST))


def admit_writer(bucket: Bucket, state: LogState, *, take: bool) -> None:
    """Check that a new writer may take the store over. Raises StoreLocked while another writer's
    lease runs, unless `take` is True. Raises BadInput when there is no workspace yet and other
    objects lie at this place."""
    held = None if take else running_lease(bucket)
    # A lease from before the last takeover was written late.
    if held is not None and held.epoch >= state.epoch and not is_orphan(held):
        raise StoreLocked(bucket.place, describe_lease(held))
    others = [] if state.number else [name for name in bucket.entries() if name not in OWN]
    if others:
        more = f" and {len(others) - SHOWN:,} more" if len(others) > SHOWN else ""
        raise BadInput(
            f"{bucket.place} holds other things ({', '.join(others[:SHOWN])}{more}) and no"
            f" workspace: give the agent a prefix of its own, such as {bucket.place}/agent"
        )


class Lease:
    """The lease of one writer. A thread of its own renews it until `release` is called.

    The thread keeps neither the process nor this object alive. A forked process has no such thread,
    and cannot end the lease."""

    def __init__(self, bucket: Bucket, writer: str, epoch: int, seconds: float = SECONDS) -> None:
        self._bucket = bucket.hasty(TRIES)
        self._writer = writer
        self._epoch = epoch
        self._seconds = seconds
        self._process = os.getpid()
        self._ended = threading.Event()
        _living[writer] = self
        self._write_note(time.time() + seconds)
        self._thread = threading.Thread(
            target=_renew_until_ended,
            args=(ref(self), self._ended, seconds / 3),
            name="loom-lease",
            daemon=True,
        )
        self._thread.start()

    def release(self) -> None:
        """End the lease. If the store does not answer, nothing is raised, and the lease ends by
        itself later. After an interrupt, call this again."""
        if os.getpid() != self._process:
            return
        self.stop()
        with suppress(StoreUnreachable):
            held = running_lease(self._bucket)
            if held is not None and held.writer == self._writer:
                self._write_note(0.0)

    def stop(self) -> None:
        """Stop renewing the lease, which then ends by itself after its time."""
        self._ended.set()
        if os.getpid() == self._process and self._thread.is_alive():
            self._thread.join(PARTING)

    def renew(self) -> bool:
        """Renew the lease. Return False when another writer has taken the store over, True
        otherwise."""
        with suppress(Exception):  # it ends by itself when the store stays away
            held = read_lease(self._bucket)
            if held is not None and held.epoch > self._epoch:
                return False
            if not self._ended.is_set():
                self._write_note(time.time() + self._seconds)
        return True

    def _write_note(self, until: float) -> None:
        note = LeaseNote(self._writer, self._epoch, until, process_name())
        self._bucket.replace(KEY, msgspec.json.encode(note))


_here = token_hex(6)  # tells this process from any other that is called the same
_living: WeakValueDictionary[str, Lease] = WeakValueDictionary()  # by their writers


def new_writer_name() -> str:
    """Return a unique name for a writer: the process in words, then random digits."""
    return f"{process_name()} {_here}{token_hex(6)}"


def is_orphan(note: LeaseNote) -> bool:
    """Return True when a lease was made in this process and its Lease object no longer exists."""
    if not note.writer.rpartition(" ")[2].startswith(_here):
        return False
    if note.writer in _living:
        gc.collect()  # it may be held by what is gone itself
    return note.writer not in _living


def _renew_until_ended(held: ref[Lease], ended: threading.Event, seconds: float) -> None:
    """Renew a lease every `seconds` until it has ended, another writer took over, or the Lease
    object no longer exists."""
    while not ended.wait(seconds):
        lease = held()
        if lease is None or not lease.renew():
            return
        del lease  # it lives as long as its store does


@atexit.register
def _stop_all() -> None:
    for lease in [*_living.values()]:
        lease.stop()
