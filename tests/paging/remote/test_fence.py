"""One writer: whoever was taken over can write nothing, and finds out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from loom_paging.errors import StoreLocked
from loom_paging.remote import Bucket, RemoteStore
from loom_paging.remote.errors import StaleWriter
from tests.paging.remote.conftest import Client

LOG = "journal/000001.jsonl"


def opened(client: Client, *, take: bool = False) -> RemoteStore:
    """A writer of the store at that place."""
    return RemoteStore(Bucket(client(), "here"), write=True, take=take)


def test_nothing_is_lost_at_a_reopening(client: Client) -> None:
    """What was made durable is there again, byte for byte; what was not is not."""
    store = opened(client)
    store.put("outputs/large", b"x" * 100_000)
    store.append(LOG, b"one\n")
    store.append(LOG, b"")
    store.append(LOG, b"two\n")
    store.close()
    again = opened(client)
    assert again.get("outputs/large") == b"x" * 100_000
    assert again.get(LOG) == b"one\n"
    again.close()


def test_a_running_lease_keeps_others_out(client: Client) -> None:
    """It says who writes; once it was released another may."""
    first = opened(client)
    with pytest.raises(StoreLocked, match="process"):
        opened(client)
    first.close()
    opened(client).close()


def test_a_stale_writer_writes_nothing(client: Client) -> None:
    """After a takeover its next flush raises, and every one after; the log is the other's."""
    first = opened(client)
    first.append(LOG, b"one\n")
    first.flush()
    second = opened(client, take=True)
    second.append(LOG, b"second\n")
    second.flush()
    first.append(LOG, b"stale\n")
    for _ in range(2):
        with pytest.raises(StaleWriter, match="took it over"):
            first.flush()
    first.close()
    assert second.get(LOG) == b"one\nsecond\n"
    second.close()
    reader = RemoteStore(Bucket(client(), "here"), write=False)
    assert reader.get(LOG) == b"one\nsecond\n"


def test_of_six_that_take_over_at_once_one_wins(client: Client) -> None:
    """Each time exactly the last to take over can write, and its bytes alone are there."""
    writers, rounds = 6, 3
    barrier = Barrier(writers, timeout=60)

    def race(number: int) -> list[int]:
        won = []
        for turn in range(rounds):
            store = RemoteStore(Bucket(client(), "here"), write=True, take=True)
            barrier.wait()
            store.append(LOG, b"%d %d\n" % (turn, number))
            try:
                store.flush()
                won.append(turn)
            except StaleWriter:
                pass
            finally:
                barrier.wait()
                store.close()
        return won

    with ThreadPoolExecutor(writers) as pool:
        won = [turn for turns in pool.map(race, range(writers)) for turn in turns]
    assert sorted(won) == list(range(rounds))
    reader = RemoteStore(Bucket(client(), "here"), write=False)
    assert [line[:1] for line in reader.get(LOG).splitlines()] == [b"%d" % n for n in range(rounds)]
