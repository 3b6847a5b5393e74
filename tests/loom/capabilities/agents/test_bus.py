"""The bus: what an agent emits, every other reads in one order, whole, if it is meant for it;
subscribers hear all they asked for, once, whoever else fails, emits, waits or is killed; a file
that is no event is told, and stops nobody; each move costs what is new."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event as Signal
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.agents.bus import EventBus
from loom.capabilities.agents.event import (
    BODY_BYTES,
    FILE_BYTES,
    PREVIEW_CHARS,
    TOPICS,
    BusEvent,
    encode_event,
)
from loom.errors import BadInput
from loom_paging import CorruptPage, FileStore, MemoryStore, MissingPage, Store
from tests.kit.cases import all_cases

RING: list[object] = []
RING.append(RING)


@all_cases(
    "wrong",
    [
        lambda bus: bus.emit("Agent.Result"),
        lambda bus: bus.emit(""),
        lambda bus: bus.emit("agent..event"),
        lambda bus: bus.emit("x" * 81),
        lambda bus: bus.emit("bus.trimmed"),
        lambda bus: bus.emit("agent.spawn", {"agent": "agent-1"}),  # told by Loom itself
        lambda bus: bus.emit("agent.result", {"agent": "agent-1"}),
        lambda bus: bus.emit("agent.event", RING),
        lambda bus: bus.emit("agent.event", object()),
        lambda bus: bus.emit("agent.event", {(1, 2): 3}),
        lambda bus: bus.emit("agent.event", to="a\nb"),
        lambda bus: bus.since(1),
        lambda bus: bus.since(-1),
        lambda bus: bus.since(topics=["Agent."]),
        lambda bus: bus.subscribe("agent.*", print),
        lambda bus: bus.subscribe("", print, cursor=7),
        lambda bus: EventBus(MemoryStore(), ""),
        lambda bus: bus.payload(BusEvent(1, "a", "b", None, 0, "outputs/secret.txt")),
    ],
)
def test_what_the_bus_cannot_take_is_refused(
    store: Store, wrong: Callable[[EventBus], object]
) -> None:
    """A bad topic, name, body, cursor or page raises and writes nothing."""
    with pytest.raises(BadInput):
        wrong(EventBus(store, "root"))
    assert store.names() == []


@all_cases(
    "body",
    [
        None,
        "x" * (BODY_BYTES - 2),
        "x" * (BODY_BYTES - 1),
        "文" * 5_000,
        {"rows": list(range(5_000))},
        ["\n" * 2_000],
        "\x1b[31m" * 500,
        b"",
        b"\x00\xff" * 10,
        b"\xff" * 1_000_000,
    ],
    ids=lambda body: f"{type(body).__name__} of {len(body or '')}",
)
def test_a_payload_comes_back_whole(store: Store, body: object) -> None:
    """Large bodies and bytes rest on a page; the event has a preview of one bounded line."""
    event = EventBus(store, "child").emit("agent.event", body)
    root = EventBus(store, "root")
    assert root.since() == [event] and root.payload(event) == body
    large = isinstance(body, bytes) or len(repr(body).encode()) > BODY_BYTES
    assert bool(event.page) == large and len(store.get("bus/000000000001.json")) < FILE_BYTES
    assert not large or (len(event.body) <= PREVIEW_CHARS and event.body.isprintable())


def test_a_page_that_changed_is_told(tmp_path: Path) -> None:
    """The sha256 in its name is checked at every read."""
    store = FileStore(tmp_path, durable=False)
    bus = EventBus(store, "root")
    event = bus.emit("agent.event", "x" * 5_000)
    (tmp_path / event.page).write_bytes(b'"y"')
    with pytest.raises(CorruptPage):
        bus.payload(event)
    (tmp_path / event.page).unlink()
    with pytest.raises(MissingPage):
        bus.payload(event)


AGENTS = ("a", "b", "c")
MOVES = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(AGENTS), st.sampled_from(TOPICS[2:]), st.sampled_from(["", *AGENTS])
        ),
        st.tuples(st.sampled_from(AGENTS), st.just("pump")),
        st.tuples(st.sampled_from(AGENTS), st.just("restart")),
    ),
    max_size=40,
)


@given(MOVES)
def test_a_bus_is_a_list(moves: list[tuple[str, ...]]) -> None:
    """However agents emit, pump and restart, each hears its part of one list once, in order."""
    store = MemoryStore()
    model: list[tuple[str, str, str]] = []
    heard: dict[str, list[int]] = {name: [] for name in AGENTS}

    def opened(name: str, cursor: int) -> EventBus:
        bus = EventBus(store, name)
        bus.subscribe("agent.", lambda event: heard[name].append(event.number), cursor=cursor)
        return bus

    buses = {name: opened(name, 0) for name in AGENTS}
    for name, *move in moves:
        if move == ["restart"]:
            buses[name] = opened(name, buses[name].cursor)
        elif move == ["pump"]:
            buses[name].pump()
        else:
            topic, to = move
            assert buses[name].emit(topic, to=to).number == len(model) + 1
            model.append((name, topic, to))
    for name, bus in buses.items():
        bus.pump()
        meant = [number for number, row in enumerate(model, 1) if row[2] in ("", name)]
        assert heard[name] == meant == [event.number for event in bus.since()]
        rows = [(event.source, event.topic, event.to) for event in bus.since()]
        assert rows == [model[number - 1] for number in meant]


def test_a_closed_subscription_hears_nothing(store: Store) -> None:
    """Closing ends the calls, even from within one, and no longer holds the cursor."""
    bus, heard = EventBus(store, "root"), list[int]()

    def once(event: BusEvent) -> None:
        heard.append(event.number)
        subscription.close()

    subscription = bus.subscribe("", once)
    unheard = bus.subscribe("", lambda event: heard.append(-1))
    unheard.close()
    unheard.close()
    bus.emit("agent.event")
    bus.emit("agent.event")
    assert heard == [1] and bus.cursor == 2


def test_a_subscriber_that_raises_stops_no_other(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """What it raised is logged; the others hear everything, and so does it later."""
    bus, before, after = EventBus(store, "root"), list[int](), list[int]()

    def refuse(event: BusEvent) -> None:
        if event.number == 2:
            raise ValueError("no thanks")
        before.append(event.number)

    bus.subscribe("agent.", refuse)
    bus.subscribe("agent.", lambda event: after.append(event.number))
    for _ in range(3):
        bus.emit("agent.event")
    assert (before, after) == ([1, 3], [1, 2, 3])
    (logged,) = caplog.records
    assert "'agent.' failed at event 2" in logged.getMessage() and "no thanks" in caplog.text


def test_an_interrupted_delivery_is_made_again(store: Store) -> None:
    """What is no Exception ends the delivery; who was not served is served at the next pump."""
    bus, heard = EventBus(store, "root"), list[str]()

    def stop(event: BusEvent) -> None:
        heard.append("first")
        if len(heard) == 1:
            raise KeyboardInterrupt

    bus.subscribe("", stop)
    bus.subscribe("", lambda event: heard.append("second"))
    with pytest.raises(KeyboardInterrupt):
        bus.emit("agent.event")
    assert bus.cursor == 0 and len(bus.since()) == 1
    assert bus.pump() == 1 and heard == ["first", "first", "second"]


def test_a_subscriber_that_emits_is_heard_in_order(store: Store) -> None:
    """Its event comes after the one it answers, for every subscriber; it is never called within."""
    bus, heard, depth = EventBus(store, "root"), list[str](), list[int]()

    def answer(event: BusEvent) -> None:
        depth.append(1)
        assert len(depth) == 1
        if event.body < 3:
            bus.emit("agent.event", event.body + 1)
        heard.append(f"a{event.body}")
        depth.pop()

    bus.subscribe("", answer)
    bus.subscribe("", lambda event: heard.append(f"b{event.body}"))
    bus.emit("agent.event", 0)
    assert heard == ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3"]


def test_nobody_waits_for_a_subscriber() -> None:
    """Who emits while another thread delivers returns at once, and that thread takes it along."""
    bus, heard = EventBus(MemoryStore(), "root"), list[int]()
    entered, leave = Signal(), Signal()

    def slow(event: BusEvent) -> None:
        heard.append(event.number)
        if event.number == 1:
            entered.set()
            assert leave.wait(60)

    bus.subscribe("", slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(bus.emit, "agent.event")
        assert entered.wait(60)
        assert [bus.emit("agent.event").number for _ in range(3)] == [2, 3, 4]
        assert heard == [1] and bus.cursor == 0 and bus.pump() == 0
        leave.set()
        assert first.result().number == 1
    assert heard == [1, 2, 3, 4] and bus.cursor == 4


Spoil = Callable[[Path], object]


SPOILS: dict[str, Spoil] = {
    "empty": lambda path: path.write_bytes(b""),
    "torn": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "no JSON": lambda path: path.write_bytes(b"\xff\x00 hello"),
    "other JSON": lambda path: path.write_bytes(b"[1, 2]"),
    "a letter": lambda path: path.write_bytes(path.read_bytes().replace(b"five", b"fiwe")),
    "of another number": lambda path: path.write_bytes(path.with_stem("0" * 11 + "4").read_bytes()),
    "deep": lambda path: path.write_bytes(b"[" * (FILE_BYTES - 1)),
    "huge": lambda path: os.truncate(path, 1 << 33),
    "gone": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a link that leads out": lambda path: (path.unlink(), path.symlink_to("/etc/hostname")),
    "a link to nothing": lambda path: (path.unlink(), path.symlink_to("nothing")),
}


def filled(root: Path) -> None:
    """A bus of nine events, the fifth of which says so."""
    bus = EventBus(FileStore(root, durable=False), "root")
    for said in "one two three four five six seven eight nine".split():  # noqa: SIM905
        bus.emit("agent.event", said)


@all_cases("name", SPOILS)
def test_a_damaged_event_is_told_and_passed(tmp_path: Path, name: str) -> None:
    """Readers get a note in its place, and all the other events; emitting goes on."""
    filled(tmp_path)
    SPOILS[name](tmp_path / "bus" / "000000000005.json")
    bus, heard, all_heard = EventBus(FileStore(tmp_path, durable=False), "x"), [], list[BusEvent]()
    bus.subscribe("agent.", lambda event: heard.append(event.number), cursor=0)
    bus.subscribe("", all_heard.append, cursor=0)
    assert bus.emit("agent.event").number == 10
    assert heard == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    assert [event.number for event in all_heard] == list(range(1, 11)) and all_heard == bus.since()
    assert all_heard[4].topic == "bus.damaged" and "000000000005" in all_heard[4].body
    assert [event.number for event in bus.since(topics=["bus."])] == [5]


@pytest.mark.parametrize("name", ["a folder", "a link that leads out", "a link to nothing"])
def test_what_blocks_the_next_number_is_passed(tmp_path: Path, name: str) -> None:
    """Something that is no file has the next number: the one after it is taken, and found."""
    filled(tmp_path)
    path = tmp_path / "bus" / "000000000010.json"
    path.touch()
    SPOILS[name](path)
    reader = EventBus(FileStore(tmp_path, durable=False), "reader")
    bus = EventBus(FileStore(tmp_path, durable=False), "root")
    assert [bus.emit("agent.event").number for _ in range(2)] == [11, 12]
    numbers = [event.number for event in reader.since(9, topics=["agent."])]
    assert numbers == [11, 12] and reader.pump() >= 2


def test_a_stray_file_far_on_is_not_the_end(tmp_path: Path) -> None:
    """A bus that is opened, with it or before, serves the events there are and goes on."""
    filled(tmp_path)
    before = EventBus(FileStore(tmp_path, durable=False), "before")
    (tmp_path / "bus" / "000999999999.json").write_bytes(b"{}")
    bus, heard = EventBus(FileStore(tmp_path, durable=False), "root"), list[int]()
    bus.subscribe("", lambda event: heard.append(event.number), cursor=0)
    assert bus.emit("agent.event").number == 10 and heard == [*range(1, 11)]
    assert before.emit("agent.event").number == 11


def test_a_bus_that_begins_later_is_read_from_there() -> None:
    """As one that was mended does: a cursor before its first event misses nothing that is there."""
    store, bus = MemoryStore(), EventBus(whole := MemoryStore(), "root")
    for number in range(9):
        bus.emit("agent.event", number)
    for name in whole.names("bus/")[4:]:
        store.put(name, whole.get(name))
    other, heard = EventBus(store, "other"), list[int]()
    other.subscribe("", lambda event: heard.append(event.number), cursor=0)
    assert [event.number for event in other.since()] == [5, 6, 7, 8, 9]
    assert other.emit("agent.event").number == 10 and heard == [5, 6, 7, 8, 9, 10]


def fill(store: Any, events: int) -> None:
    """Put that many events straight into a store."""
    made = BusEvent(0, "agent.event", "child", "x", 0)
    for number in range(1, events + 1):
        store.put(f"bus/{number:012d}.json", encode_event(made, number))


def test_each_move_costs_what_is_new(counting: Any) -> None:
    """At 100,000 events: an opening lists them once and reads none; a pump, an emit and the reading
    of ten."""
    fill(counting, 100_000)
    counting.calls.clear()
    bus, other = EventBus(counting, "root"), EventBus(counting, "other")
    assert bus.cursor == 100_000 and counting.calls == Counter(has=6, names=2)
    heard = list[int]()
    bus.subscribe("", lambda event: heard.append(event.number))
    counting.calls.clear()
    assert bus.pump() == 0 and counting.calls == Counter(has=2)
    counting.calls.clear()
    other.emit("agent.event")
    assert counting.calls == Counter(put=1)
    for _ in range(9):
        other.emit("agent.event")
    counting.calls.clear()
    assert bus.pump() == 10 == len(heard)
    assert counting.calls == Counter(has=12, read=11, put=1)  # one sync for all ten


ROOT = Path(__file__).parent.parent.parent.parent.parent
EACH, THREADS = 60, 8

EMITTER = """
import sys
from pathlib import Path
from loom.capabilities.agents.bus import EventBus
from loom_paging import FileStore
bus = EventBus(FileStore(Path(sys.argv[1])), sys.argv[2])
sys.stdin.readline()
number = 0
while True:
    body = [number, "x" * 3_000] if number % 2 else [number]
    print(bus.emit("agent.event", body).number, flush=True)
    number += 1
"""


def started(root: Path, name: str) -> subprocess.Popen[str]:
    """A process that emits once it is told to, and prints each number it was given."""
    command = [sys.executable, "-c", EMITTER, str(root), name]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


def go(process: subprocess.Popen[str]) -> IO[str]:
    """Tell it to begin; what it prints."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.close()
    process.stdin = None
    return process.stdout


def check_whole(bus: EventBus, counts: dict[str, int]) -> None:
    """No number is missing, and each source's events are all there once, in its order."""
    events = bus.since()
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    said: dict[str, list[object]] = {name: [] for name in counts}
    for event in events:
        number, *rest = bus.payload(event)
        assert set("".join(rest)) <= {"x"}
        said[event.source].append(number)
    assert said == {name: list(range(count)) for name, count in counts.items()}


def test_threads_lose_and_double_nothing(store: Store) -> None:
    """Threads emit through one bus, each twice over one of its own: an order equal for all."""
    one = EventBus(store, "t0")
    buses = [one, *(EventBus(store, f"t{number}") for number in range(1, THREADS // 2))] * 2
    heard = list[int]()
    one.subscribe("", lambda event: heard.append(event.number))
    barrier = threading.Barrier(THREADS, timeout=60)

    def emit(thread: int) -> list[int]:
        barrier.wait()
        return [buses[thread].emit(f"thread.{thread}", number).number for number in range(EACH)]

    with ThreadPoolExecutor(THREADS) as pool:
        numbers = list(pool.map(emit, range(THREADS)))
    one.pump()
    assert heard == list(range(1, THREADS * EACH + 1))
    events = EventBus(store, "new").since()
    assert all(events == bus.since() for bus in buses)
    for thread, mine in enumerate(numbers):
        assert [e.number for e in events if e.topic == f"thread.{thread}"] == mine
        assert [events[number - 1].body for number in mine] == list(range(EACH))


def test_killed_processes_leave_whole_events(tmp_path: Path) -> None:
    """After SIGKILL amid emits, what was acknowledged is there and nothing is half."""
    reader = EventBus(FileStore(tmp_path), "reader")
    heard = list[BusEvent]()
    reader.subscribe("", heard.append)
    acknowledged = list[int]()
    for round_ in range(2):
        processes = [started(tmp_path, f"k{round_}-{n}") for n in "ab"]
        outputs = [go(process) for process in processes]
        for process, output in zip(processes, outputs, strict=True):
            acknowledged += [int(output.readline()) for _ in range(10 + 7 * round_)]
            os.kill(process.pid, signal.SIGKILL)
            acknowledged += [int(line) for line in output if line.endswith("\n")]
            process.communicate()
        reader.pump()
    last = reader.emit("agent.event", [0])
    events = EventBus(FileStore(tmp_path), "new").since()
    assert heard == events and events[-1] == last
    assert set(acknowledged) <= {event.number for event in events}
    check_whole(reader, Counter(event.source for event in events))
