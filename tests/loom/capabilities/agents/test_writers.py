"""Many writers at once: threads, processes, and processes that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from loom.capabilities.agents.bus import EventBus
from loom.capabilities.agents.event import BusEvent
from loom_paging import FileStore, Store

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
