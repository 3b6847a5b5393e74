"""Checkpoints, what they make needless, and readers behind whom it goes."""

import pytest

from loom_paging import CorruptJournal, StoreReplaced
from loom_paging.remote import remote_store as stores
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.leftovers import NO_GRACE, StoreLeftovers
from loom_paging.remote.log_state import LogState, load_state
from loom_paging.remote.log_writer import LogWriter
from loom_paging.remote.remote_store import RemoteStore
from tests.paging.remote.conftest import Client

LOG = "journal/000001.jsonl"
PAGE = b"a large page\n" * 4_000


def written(client: Client, turns: int = 10) -> RemoteStore:
    """A writer that has made so many turns durable; every other page was deleted again."""
    store = RemoteStore(Bucket(client(), "here"), write=True)
    for number in range(turns):
        store.append(LOG, b"line %d\n" % number)
        store.put(f"outputs/{number}", b"%d " % number + PAGE)
        if number % 2:
            store.delete(f"outputs/{number}")
        store.flush()
    return store


def state(store: RemoteStore) -> dict[str, bytes]:
    """All it holds."""
    return {name: store.get(name) for name in store.names()}


def test_a_damaged_checkpoint_makes_nothing_needless(client: Client) -> None:
    """The log before the newest one that verifies may go, and that alone."""
    store = written(client, 4)
    store.checkpoint()
    store.append(LOG, b"more\n")
    store.checkpoint()
    before = state(store)
    bucket = Bucket(client(), "here")
    first, newest = bucket.keys("folds")
    bucket.replace(newest, b"damaged")
    gone = store.leftovers(NO_GRACE)
    assert gone.count("log") == 5 and newest in gone.keys and first not in gone.keys
    assert store.leftovers(-1).count("folds") == 0  # it shows that something was damaged
    store.sweep(NO_GRACE)
    store.close()
    assert state(RemoteStore(bucket, write=False)) == before
    bucket.replace(first, b"damaged")
    with pytest.raises(CorruptJournal, match="was let go"):
        RemoteStore(bucket, write=False)


def test_a_reader_that_is_behind_reads_on(client: Client) -> None:
    """What it knew of is gone: it reads the newest state, and finds each name as it is now."""
    store = written(client, 6)
    reader = RemoteStore(Bucket(client(), "here"), write=False)
    late = RemoteStore(Bucket(client(), "here"), write=False)
    late._state.recent.clear()  # as after many more batches
    store.append(LOG, b"more\n")
    store.checkpoint()
    store.append(LOG, b"and more\n")
    store.checkpoint()
    store.sweep(NO_GRACE)
    assert late.get(LOG).endswith(b"more\nand more\n")
    reader.refresh()
    assert state(reader) == state(store)
    store.close()


def test_a_writer_taken_over_before_the_log_was_let_go_writes_nothing(client: Client) -> None:
    """It wakes when its next number is long behind: the number is still taken."""
    first = written(client, 3)
    first.append(LOG, b"stale\n")
    second = RemoteStore(Bucket(client(), "here"), write=True, take=True)
    for _ in range(3):
        second.append(LOG, b"second\n")
        second.flush()
    second.checkpoint()
    second.sweep(NO_GRACE)
    before = state(second)
    with pytest.raises(StoreReplaced, match="took it over"):
        first.flush()
    first.close()
    second.close()
    assert state(RemoteStore(Bucket(client(), "here"), write=False)) == before


def test_a_sweep_that_was_stopped_in_its_middle_removes_what_nobody_needs(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who took over meanwhile put the same page again: it stays, and so does all else."""
    first = written(client, 4)
    removing = stores.remove_leftovers
    second: list[RemoteStore] = []

    def stopped(bucket: Bucket, found: StoreLeftovers) -> None:
        second.append(RemoteStore(Bucket(client(), "here"), write=True, take=True))
        second[0].put("outputs/1", b"1 " + PAGE)  # needless to the first, which deleted it
        second[0].append(LOG, b"more\n")
        second[0].checkpoint()
        monkeypatch.setattr(stores, "remove_leftovers", removing)
        removing(bucket, found)

    monkeypatch.setattr(stores, "remove_leftovers", stopped)
    assert first.sweep(NO_GRACE).count("pages") == 2
    first.close()
    second[0].close()
    reader = RemoteStore(Bucket(client(), "here"), write=False)
    assert reader.get("outputs/1") == b"1 " + PAGE
    assert state(reader) == state(second[0])


def test_a_checkpoint_that_comes_late_hides_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer was stopped between what it merged and its checkpoint, and another swept that."""
    first = written(client, 4)
    keeping = stores.put_checkpoint
    before: list[dict[str, bytes]] = []

    def stopped(bucket: Bucket, held: LogState) -> None:
        monkeypatch.setattr(stores, "put_checkpoint", keeping)
        second = RemoteStore(Bucket(client(), "here"), write=True, take=True)
        second.append(LOG, b"more\n")
        second.flush()
        assert second.sweep(NO_GRACE).count("merged") == 1
        before.append(state(second))
        second.close()
        keeping(bucket, held)

    monkeypatch.setattr(stores, "put_checkpoint", stopped)
    first.checkpoint()
    first.close()
    assert state(RemoteStore(Bucket(client(), "here"), write=False)) == before[0]


def test_who_takes_over_behind_what_was_let_go_takes_over_the_newest(client: Client) -> None:
    """It had read the store before the writer went on, and the log was let go meanwhile."""
    first = written(client, 3)
    late = load_state(bucket := Bucket(client(), "here"))
    first.append(LOG, b"more\n")
    first.checkpoint()
    first.sweep(NO_GRACE)
    writer = LogWriter(bucket, late)
    assert late.number == first._state.number + 1 and late.epoch == writer.epoch == 2
    assert late.fold.cells == first._state.fold.cells
    first.append(LOG, b"stale\n")
    with pytest.raises(StoreReplaced, match="took it over"):
        first.flush()
    first.close()


def test_a_finished_segment_is_merged(client: Client) -> None:
    """A new segment puts a checkpoint; opening reads the batches after it alone."""
    store = written(client, 3)
    bucket = Bucket(client(), "here")
    assert bucket.keys("folds") == []
    store.append("journal/000002.jsonl", b"")
    assert len(bucket.keys("folds")) == len(bucket.keys("merged")) == 1
    store.append("journal/000002.jsonl", b"two\n")
    store.append("outputs/log", b"")
    assert len(bucket.keys("folds")) == 1
    store.close()
    reader = RemoteStore(bucket, write=False)
    assert reader._state.kept == 5 and len(reader._state.recent) == 1
