"""A lease lives as long as its store, and no longer."""

import gc
import threading
import time
from typing import Any

import pytest

from loom_paging.errors import StoreLocked
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.lease import Lease, running_lease
from loom_paging.remote.remote_store import RemoteStore


def place() -> Bucket:
    """An empty place."""
    from obstore.store import MemoryStore

    return Bucket(MemoryStore(), "here")


def renewers() -> int:
    """How many threads renew a lease."""
    gc.collect()
    return sum(thread.name == "loom-lease" for thread in threading.enumerate())


def test_a_store_that_lives_keeps_others_out() -> None:
    """In its own process too."""
    bucket = place()
    store = RemoteStore(bucket, write=True)
    with pytest.raises(StoreLocked):
        RemoteStore(bucket, write=True)
    store.close()
    store.close()
    assert running_lease(bucket) is None


def test_a_store_that_an_interrupt_lost_keeps_nobody_out() -> None:
    """Its lease runs, and its process opens it again at once; its thread ends."""
    bucket, before = place(), renewers()
    store: Any = RemoteStore(bucket, write=True, lease=0.3)
    assert running_lease(bucket) is not None
    store.itself = store  # as an exception's traceback does
    del store
    again = RemoteStore(bucket, write=True)
    for _ in range(50):
        if renewers() == before + 1:
            break
        time.sleep(0.05)
    assert renewers() == before + 1
    again.close()


def test_closing_again_does_what_an_interrupt_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease ends at the second call."""
    bucket = place()
    store = RemoteStore(bucket, write=True)
    real = Lease.stop

    def raising(self: Lease) -> None:
        monkeypatch.setattr(Lease, "stop", real)
        raise KeyboardInterrupt

    monkeypatch.setattr(Lease, "stop", raising)
    with pytest.raises(KeyboardInterrupt):
        store.close()
    assert running_lease(bucket) is not None
    store.close()
    assert running_lease(bucket) is None
