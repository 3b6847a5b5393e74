"""Objects that Loom did not write: each is refused in words, and nothing outside is touched."""

import json
import time
from hashlib import sha256
from typing import Any

import msgspec
import pytest

from loom_paging import CorruptJournal
from loom_paging.errors import StoreLocked
from loom_paging.remote.batch import (
    LAST,
    AppendChange,
    BatchHead,
    Change,
    CutChange,
    LinkChange,
    ObjectSpan,
    PutChange,
    RemoveChange,
    encode_batch,
    log_key,
)
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.lease import describe_lease, running_lease
from loom_paging.remote.log_state import LogCheckpoint
from loom_paging.remote.remote_store import RemoteStore
from tests.kit.cases import all_cases

LOG = "journal/000001.jsonl"
SHA = "a" * 64
HERE = ObjectSpan(f"pages/{SHA}", 0, 4)


def made(turns: int = 2) -> Any:
    """A client of a store with so many batches after the takeover's."""
    from obstore.store import MemoryStore

    held = MemoryStore()
    store = RemoteStore(Bucket(held, "here"), write=True)
    for number in range(turns):
        store.append(LOG, b"line %d\n" % number)
        store.flush()
    store.close()
    return held


def forge(held: Any, *changes: Change, **head: Any) -> None:
    """Put a batch behind the last."""
    bucket = Bucket(held, "here")
    last = RemoteStore(bucket, write=False)._state
    given = {"number": last.number + 1, "epoch": last.epoch, "before": last.crc, **head}
    whole = BatchHead(writer="forger", nonce="1", changes=[*changes], **given)
    bucket.create(log_key(last.number + 1), encode_batch(whole, b"body"))


@all_cases(
    "change",
    [
        PutChange("../outside", HERE),
        PutChange("/absolute", HERE),
        PutChange("nul\0", HERE),
        PutChange("", HERE),
        PutChange("outputs/a", ObjectSpan("pages//etc/passwd", 0, 4)),
        PutChange("outputs/a", ObjectSpan("merged/../../x", 0, 4)),
        PutChange("outputs/a", ObjectSpan(f"pages/{SHA}/x", 0, 4)),
        PutChange("outputs/a", ObjectSpan("lease", 0, 4)),
        PutChange("outputs/a", ObjectSpan(f"pages/{SHA}", -1, 4)),
        PutChange("outputs/a", ObjectSpan(f"pages/{SHA}", 0, -4)),
        PutChange("outputs/a", ObjectSpan(f"pages/{SHA}", 0, 1 << 50)),
        PutChange("journal", HERE),
        PutChange(f"{LOG}/below", HERE),
        PutChange(LOG, HERE),
        AppendChange("../x", HERE),
        CutChange("no such name", 1),
        CutChange(LOG, -1),
        RemoveChange("no such name"),
        LinkChange("no such name", "outputs/b"),
        LinkChange(LOG, "../b"),
        LinkChange(LOG, LOG),
    ],
    ids=repr,
)
def test_a_batch_with_what_loom_never_writes(change: Change) -> None:
    """A reader and a writer are told which object it is."""
    held = made()
    forge(held, change)
    for write in (False, True):
        with pytest.raises(
            CorruptJournal, match=r"here/log/000000000004: .*Loom did not write|cannot be"
        ):
            RemoteStore(Bucket(held, "here"), write=write)


@all_cases("epoch", [0, 3, 10**12, 2**63, -1])
def test_an_epoch_that_no_takeover_gave(epoch: int) -> None:
    """Each takeover puts one batch, and counts one further."""
    held = made()
    forge(held, epoch=epoch)
    with pytest.raises(CorruptJournal, match=r"here/log/0+4: it does not follow"):
        RemoteStore(Bucket(held, "here"), write=True)


def test_a_place_that_is_not_in_its_object() -> None:
    """It is told when it is read, and no shorter text is given; nor one without end."""
    held = made()
    at = log_key(2)
    forge(held, PutChange("outputs/short", ObjectSpan(at, 0, 1 << 39)))
    size = len(Bucket(held, "here").read(at))
    spans = [ObjectSpan(at, 0, size)] * 100_000
    forge(held, *(AppendChange("outputs/long", one) for one in spans))
    store = RemoteStore(Bucket(held, "here"), write=False)
    with pytest.raises(CorruptJournal, match="it is longer than anything Loom writes"):
        store.get("outputs/short")
    with pytest.raises(CorruptJournal, match="it ends before what is named in it"):
        store.read("outputs/short", size, 10)
    assert len(store.get("outputs/long")) == 100_000 * size < 1 << 30
    assert store.get(LOG) == b"line 0\nline 1\n"


@all_cases(
    "head",
    [
        b"\x91" * 100_000,
        msgspec.msgpack.encode(["x"] * 5),
        b"\x81\xa6number\xa2\xff\xfe",
        b"\xdd\xff\xff\xff\xff",
        b"",
    ],
    ids=["nested", "list", "no text", "long", "empty"],
)
def test_a_head_that_is_none(head: bytes) -> None:
    """Deep, torn, or another thing: CorruptJournal, and no error of another kind."""
    from zlib import crc32

    held, whole = made(), b"LOOMlog\x01" + head + len(head).to_bytes(4, "big")
    data = whole + crc32(whole).to_bytes(4, "big")
    Bucket(held, "here").create(log_key(4), data)
    with pytest.raises(CorruptJournal, match="log/000000000004: its head cannot be read"):
        RemoteStore(Bucket(held, "here"), write=False)


@all_cases(
    "kept",
    [
        LogCheckpoint(LAST, 9, 0, {}, []),
        LogCheckpoint(3, 4, 0, {}, []),
        LogCheckpoint(3, 2**63, 0, {}, []),
        LogCheckpoint(3, -5, 0, {}, []),
        LogCheckpoint(3, 1, 0, {LOG: 1}, []),
        LogCheckpoint(3, 1, 0, {LOG: -1}, []),
        {"number": 3, "epoch": 1, "crc": 0, "names": {"../x": 0}, "cells": [{"extents": []}]},
        {"number": 3, "epoch": 1, "crc": 0, "names": {"a": 0, "a/b": 0},
         "cells": [{"extents": []}]},
        {"number": 3, "epoch": 1, "crc": 0, "names": {"a": 0},
         "cells": [{"extents": [["pages//etc/passwd", 0, 4]]}]},
        ["nothing"],
    ],
)  # fmt: skip
def test_a_checkpoint_that_loom_did_not_put(kept: Any) -> None:
    """It is passed by: the log before it has all."""
    held = made()
    data = msgspec.msgpack.encode(kept)
    number = kept.number if isinstance(kept, LogCheckpoint) else 3
    Bucket(held, "here").create(f"folds/{number:012d}", sha256(data).digest() + data)
    for _ in range(2):
        store = RemoteStore(Bucket(held, "here"), write=True)
        assert store.get(LOG) == b"line 0\nline 1\n"
        store.close()


@all_cases(
    "note",
    [
        b"[" * 100_000,
        b'{"writer": "\xff"}',
        b"{}",
        b"",
        json.dumps({"writer": "w", "epoch": 10**30, "until": 1, "holder": "h"}).encode(),
    ],
    ids=["nested", "no text", "no field", "empty", "long"],
)
def test_a_lease_that_cannot_be_read_is_none(note: bytes) -> None:
    """It keeps nobody out."""
    held = made()
    Bucket(held, "here").replace("lease", note)
    RemoteStore(Bucket(held, "here"), write=True).close()


def test_who_holds_a_lease_is_told_in_one_line() -> None:
    """No escape of a terminal, no text without end, no time beyond a day."""
    bucket = Bucket(made(), "here")
    holder = "process ² \x1b[2J\n" + "x" * 10_000
    note = {"writer": "w", "epoch": 9, "until": 1e308, "holder": holder}
    bucket.replace("lease", json.dumps(note).encode())
    with pytest.raises(StoreLocked) as raised:
        RemoteStore(bucket, write=True)
    assert str(raised.value).isprintable() and len(str(raised.value)) < 400
    held_by = running_lease(bucket)
    assert held_by is not None and "86,400 s" in describe_lease(held_by)


def test_a_stale_writer_does_not_renew_its_lease() -> None:
    """Who took over has ended: the next one is kept out by nobody."""
    held = made()
    first = RemoteStore(Bucket(held, "here"), write=True, lease=0.3)
    RemoteStore(Bucket(held, "here"), write=True, take=True).close()
    time.sleep(0.5)
    RemoteStore(Bucket(held, "here"), write=True).close()
    first.close()
