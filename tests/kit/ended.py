"""What is left of a process that ended without a word, in the process of a test."""

from loom_paging.remote.remote_store import RemoteStore


def ended(store: RemoteStore) -> None:
    """The process that had a store open is gone: its lease is renewed no more, nor let go."""
    if store._lease is not None:
        store._lease.stop()
