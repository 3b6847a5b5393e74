"""Histories of writers that take over from one another, through requests that are lost, doubled or
late: each is what one store, which does a call at a time, could have answered."""

import os
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
from msgspec.structs import replace

from loom.capabilities.agents.result import DONE, AgentResult
from loom.capabilities.agents.result import put_result as put_result
from loom.capabilities.agents.result import read_result as read_result
from loom.errors import BadInput
from loom_paging import StoreReplaced, StoreUnreachable
from loom_paging.errors import MissingPage
from loom_paging.remote import bucket as buckets
from loom_paging.remote import remote_store
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.remote_store import RemoteStore
from loom_paging.remote.shared import SharedObjects
from tests.kit import linearizable as checker
from tests.kit import object_stores
from tests.kit.ended import ended
from tests.kit.faulty_network import faulty
from tests.kit.linearizable import OK, STALE, TAKEN, UNKNOWN, TimedCall, linearizable

pytest.importorskip("obstore", reason="needs obstore")
from tests.kit.cases import all_cases
from tests.kit.seeded_bucket import TRIES, SeededBucket, Turns

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
COMMITS, RESULTS = (1_700, 500) if SIMULATED else (45, 15)  # histories
LOG = "journal/000001.jsonl"
START = ("", ())
History = list[TimedCall]
Clock = Callable[[], float]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow at once and end soon, so that answers are unknown; checkpoints are near."""
    monkeypatch.setattr(buckets, "FIRST", 0.0)
    monkeypatch.setattr(remote_store, "EVERY", 3)


def lines_of(store: RemoteStore) -> tuple[str, ...]:
    """The lines of the log, as a store has them now."""
    try:
        return tuple(store.get(LOG).decode().split())
    except MissingPage:
        return ()


class Recorder:
    """Calls as they are made, put down with when they began and ended."""

    def __init__(self, now: Clock) -> None:
        self.history: History = []
        self.now = now

    def call(
        self, process: str, what: str, given: object, do: Callable[[], tuple[str, Any]]
    ) -> str:
        """Make a call; its outcome. One without an answer may be done at any later time."""
        began = self.now()
        try:
            outcome, found = do()
        except StoreUnreachable:
            self.history.append(TimedCall(process, what, given, UNKNOWN, began))
            return UNKNOWN
        self.history.append(TimedCall(process, what, given, outcome, began, self.now(), found))
        return outcome


def writer(recorder: Recorder, bucket: Bucket, name: str, lives: int, commits: int) -> None:
    """Take the log over and append to it, again and again; a life ends as soon as one is unsure."""
    for life in range(lives):
        process = f"{name}.{life}"
        held: list[RemoteStore] = []

        def take(held: list[RemoteStore] = held) -> tuple[str, Any]:
            held.append(RemoteStore(bucket, write=True, take=True))
            return OK, lines_of(held[0])

        outcome = recorder.call(process, "take", None, take)
        for number in range(commits):
            if outcome != OK:
                break
            line = f"{process}.{number}"
            outcome = recorder.call(process, "append", line, partial(appended, held[0], line))
        for store in held:
            ended(store)


def appended(store: RemoteStore, line: str) -> tuple[str, Any]:
    """A line made durable; where that is not known, once more."""
    store.append(LOG, f"{line}\n".encode())
    try:
        try:
            store.flush()
        except StoreUnreachable:
            store.flush()
    except StoreReplaced:
        return STALE, None
    return OK, None


def reader(recorder: Recorder, bucket: Bucket, name: str, times: int) -> None:
    """Read the log, again and again."""

    def read() -> tuple[str, Any]:
        return OK, lines_of(RemoteStore(bucket, write=False))

    for _ in range(times):
        recorder.call(name, "read", None, read)


def deliverer(recorder: Recorder, bucket: Bucket, name: str, times: int) -> None:
    """Put a result of its own, and read which one counts."""
    store: Any = SharedObjects(bucket)

    def put() -> tuple[str, Any]:
        try:
            put_result(store, AgentResult("agent", DONE, name))
        except BadInput:
            return TAKEN, None
        return OK, None

    def read() -> tuple[str, Any]:
        found, _ = read_result(store, "agent")
        return OK, found and found.summary

    for _ in range(times):
        recorder.call(name, "read", None, read)
        recorder.call(name, "put", name, put)
    recorder.call(name, "read", None, read)


def played(seed: int, *, results: bool) -> tuple[History, Turns]:
    """A history of three writers and a reader, or of four that deliver, made of a seed."""
    from obstore.store import MemoryStore

    client, rng = MemoryStore(), Random(seed)
    turns = Turns(seed, rng.choice((0.0, 0.2, 0.4)))
    recorder = Recorder(turns.now)
    bucket = SeededBucket(client, turns)
    works: list[Callable[[], None]]
    if results:
        works = [partial(deliverer, recorder, bucket, f"d{number}", 2) for number in range(4)]
    else:
        works = [partial(writer, recorder, bucket, f"w{number}", 2, 4) for number in range(3)]
        works.append(partial(reader, recorder, bucket, "reader", 2))
    turns.run(works)
    last = Bucket(client, "here")
    if results:
        deliverer(recorder, last, "last", 0)
    else:
        reader(recorder, last, "last", 1)
    return recorder.history, turns


def judged(history: History, *, results: bool) -> bool:
    """Whether one store could have answered so."""
    if results:
        return linearizable(history, checker.put_once, None)
    return linearizable(history, checker.fenced_log, START)


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize(
    ("results", "count"), [(False, COMMITS), (True, RESULTS)], ids=["commits", "results"]
)
def test_every_history_is_that_of_one_store(results: bool, count: int) -> None:
    """Counted: what was asked and answered, and how many requests met a fault."""
    calls: Counter[str] = Counter()
    met = 0
    for seed in range(count):
        history, turns = played(seed, results=results)
        assert judged(history, results=results), (seed, history)
        assert seed or played(seed, results=results)[0] == history  # it can be made again
        calls.update(f"{call.what} {call.outcome}" for call in history)
        met += turns.met
    print(f"{count} histories, {met} faults met: {dict(calls.most_common())}")
    unsure = {"put unknown"} if results else {"append unknown", "take unknown", "append stale"}
    assert unsure <= calls.keys()


@pytest.mark.parametrize("seed", range(3))
def test_histories_through_a_network(seed: int) -> None:
    """The same with real threads, real requests and a network that loses and doubles them."""
    pytest.importorskip("moto", reason="needs moto")
    recorder = Recorder(time.monotonic)
    prefix = uuid4().hex
    with object_stores.moto() as server:
        with faulty(server.address, seed, 0.15) as network:
            buckets_ = [
                Bucket(server.client(prefix, network.address), "here", tries=TRIES)
                for _ in range(4)
            ]
            works: list[Callable[[], None]] = [
                partial(writer, recorder, bucket, f"w{number}", 2, 3)
                for number, bucket in enumerate(buckets_[:3])
            ]
            works.append(partial(reader, recorder, buckets_[3], "reader", 2))
            threads = [Thread(target=work) for work in works]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        reader(recorder, Bucket(server.client(prefix), "here"), "last", 1)
    assert judged(recorder.history, results=False), recorder.history
    assert sum(call.what == "append" and call.outcome == OK for call in recorder.history) > 2


# The checker itself: what it lets pass, and what it finds
def a_history() -> History:
    """Two writers, the second of which takes over; read in the end."""
    return [
        TimedCall("a", "take", None, OK, 1, 2, ()),
        TimedCall("a", "append", "a0", OK, 3, 4),
        TimedCall("b", "take", None, OK, 5, 8, ("a0",)),
        TimedCall("a", "append", "a1", UNKNOWN, 6),
        TimedCall("b", "append", "b0", OK, 9, 10),
        TimedCall("a", "append", "a2", STALE, 11, 12),
        TimedCall("r", "read", None, OK, 13, 14, ("a0", "b0")),
    ]


VIOLATIONS: dict[str, Callable[[History], History]] = {
    "an acknowledged line is lost": lambda h: [*h[:-1], replace(h[-1], found=("b0",))],
    "a line is there twice": lambda h: [*h[:-1], replace(h[-1], found=("a0", "b0", "b0"))],
    "lines changed places": lambda h: [*h[:-1], replace(h[-1], found=("b0", "a0"))],
    "a stale writer's line is there": lambda h: [
        *h[:-1], replace(h[-1], found=("a0", "b0", "a2")),
    ],
    "a line of unknown end came after the takeover was over": lambda h: [
        *h[:-1], replace(h[-1], found=("a0", "b0", "a1")),
    ],
    "a stale writer was told it wrote": lambda h: [*h[:5], replace(h[5], outcome=OK), h[6]],
    "a writer was refused and nobody took over": lambda h: [
        h[0], replace(h[1], outcome=STALE), replace(h[-1], found=()),
    ],
    "who took over did not see all": lambda h: [*h[:2], replace(h[2], found=()), *h[3:]],
    "a read goes back in time": lambda h: [
        *h, TimedCall("r", "read", None, OK, 15, 16, ("a0",)),
    ],
}  # fmt: skip


@all_cases("name", VIOLATIONS)
def test_a_planted_violation_is_found(name: str) -> None:
    """Each is one change to a lawful history."""
    assert not linearizable(VIOLATIONS[name](a_history()), checker.fenced_log, START)
