"""Agents at their addresses, worked on by executors: each has one result, whatever dies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import loom
from loom.capabilities.agents.result import AgentResult
from loom.fleet import FleetRun, Processes
from tests.kit.cases import all_cases, some
from tests.loom.fleet import works

pytest.importorskip("obstore", reason="needs obstore")


def outcomes(runs: Iterator[FleetRun]) -> dict[str, str]:
    """What came of each agent, by the last letter of its address."""
    return {run.address[-1]: run.result.summary if run.result else run.error for run in runs}


def spawned(workers: int) -> Executor:
    """The standard library's processes, as they are begun on every system."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


@pytest.mark.parametrize("kind", some([Processes, spawned, ThreadPoolExecutor], 2))
def test_each_has_a_result(places: list[str], kind: Callable[[int], Executor]) -> None:
    """In any executor; done again, nothing is begun: the results are there. It can be used on."""
    told: list[tuple[str, int]] = []
    with kind(2) as pool:
        runs = list(loom.fleet.each(works.reads, places, executor=pool, workers=2,
                                    tell=lambda *one: told.append(one)))  # fmt: skip
        assert pool.submit(len, "on").result() == 2
        again = list(loom.fleet.each(works.dies, places[:1], executor=pool))
    assert sorted(told) == [(place, 1) for place in sorted(places)]
    assert {run.address for run in runs} == set(places)
    for run in runs:
        assert run.result == AgentResult(run.address[-1], "done", "4 steps")
    assert [run.runs for run in runs] == [1] * 4
    assert [(run.result, run.runs) for run in again] == [(AgentResult("0", "done", "4 steps"), 0)]


def test_what_was_delivered_is_the_result(places: list[str]) -> None:
    """Not what the function returned then."""
    with ThreadPoolExecutor(1) as pool:
        (run,) = loom.fleet.each(works.delivers, places[:1], executor=pool)
    assert run.result == AgentResult("0", "done", "delivered")


def test_an_error_is_told_and_leaves_no_result(places: list[str]) -> None:
    """The others go on; the next time the agent is worked on again."""
    with ThreadPoolExecutor(2) as pool:
        runs = list(loom.fleet.each(works.raises, places[:2], executor=pool))
        assert [run.error[:30] for run in runs] == ["ValueError: nothing stands at "] * 2
        (run,) = loom.fleet.each(works.reads, places[:1], executor=pool)
    assert run.result is not None and run.runs == 1


def test_a_pool_that_breaks_is_told(places: list[str]) -> None:
    """A pool of the standard library is of no more use after a death: each says so."""
    with spawned(1) as pool:
        runs = list(loom.fleet.each(works.dies, places, executor=pool, workers=1))
    assert len(runs) == 4 and all("BrokenProcessPool" in run.error for run in runs)


def test_cancelled_work_ends(places: list[str]) -> None:
    """What runs in processes of its own is killed, and nothing more is begun."""
    cancel = Event()
    runs = loom.fleet.each(
        works.lives_on, places, workers=1, cancel=cancel, tell=lambda *one: cancel.set()
    )
    assert list(runs) == []


def test_what_cannot_be_sent_is_an_error() -> None:
    """An odd value, an odd error, and one that looks like a lost worker; the process goes on."""
    with Processes(1) as pool:
        with pytest.raises(Exception, match=r"pickle"):
            pool.submit(works.odd, "value").result()
        with pytest.raises(loom.LoomError, match="Odd: 1 and 2"):
            pool.submit(works.odd, "raise").result()
        with pytest.raises(OSError, match="gone") as raised:
            pool.submit(works.broken_pipe, "gone").result()
        assert "broken_pipe" in raised.value.__notes__[0]
        with pytest.raises(loom.errors.WorkerDied, match="exit code 3"):
            pool.submit(os._exit, 3).result()
        with pytest.raises(loom.LoomError, match="MuteError: it has no text"):
            pool.submit(works.mute, "0").result()
        assert pool.submit(len, "on").result() == 2


def test_only_a_few_are_given_out_ahead(tmp_path: Path) -> None:
    """Of addresses without end twice as many as workers are asked for, and given out."""
    asked: list[str] = []
    told: list[str] = []

    def endless() -> Iterator[str]:
        for number in count():
            asked.append(f"file://{tmp_path}/{number}")
            yield asked[-1]

    with ThreadPoolExecutor(1) as pool:
        runs = loom.fleet.each(works.reads, endless(), executor=pool, workers=1,
                               tell=lambda place, run: told.append(place))  # fmt: skip
        next(runs)
        assert asked == told and len(told) == 2
        runs.close()
    assert len(told) == 2


def test_addresses_that_fail_come_after_what_was_given_out(places: list[str]) -> None:
    """Agents under way are awaited and told; then the error comes."""

    def failing() -> Iterator[str]:
        yield from places[:2]
        raise OSError("the list of agents is gone")

    found: list[FleetRun] = []
    with ThreadPoolExecutor(2) as pool, pytest.raises(OSError, match="the list of agents is gone"):
        found.extend(loom.fleet.each(works.reads, failing(), executor=pool, workers=2))
    assert outcomes(iter(found)) == {"0": "4 steps", "1": "4 steps"}


@all_cases(
    ("work", "kind", "error"),
    [
        (works.exits, ThreadPoolExecutor, "SystemExit: 3"),
        (works.exits, Processes, "WorkerDied: its worker died: it ended with exit code 3"),
        (works.mute, ThreadPoolExecutor, "MuteError: it has no text"),
        (works.mute, Processes, "LoomError: MuteError: it has no text"),
    ],
)
def test_work_that_ends_oddly_ends_no_map(
    places: list[str], work: Callable[[str], str], kind: Callable[[int], Executor], error: str
) -> None:
    """It is that agent's error; the others have their results."""
    with kind(2) as pool:
        told = outcomes(loom.fleet.each(work, places[:3], executor=pool, workers=2))
    assert told == {"0": error, "1": "4 steps", "2": "4 steps"}


class Refusing(ThreadPoolExecutor):
    """An executor that does not take the first work."""

    refused = False

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Refuse once."""
        if not self.refused:
            self.refused = True
            raise RuntimeError("no room")
        return super().submit(work, *args, **kwargs)


def test_work_an_executor_refuses_ends_no_map(places: list[str]) -> None:
    """It is that agent's error too; one that was shut down refuses all."""
    with Refusing(2) as pool:
        told = outcomes(loom.fleet.each(works.reads, places[:3], executor=pool, workers=2))
    assert told == {"0": "RuntimeError: no room", "1": "4 steps", "2": "4 steps"}
    told = outcomes(loom.fleet.each(works.reads, places[:3], executor=pool, workers=2))
    assert set(told) == {"0", "1", "2"}
    assert all("after shutdown" in error for error in told.values())


def test_an_interrupt_of_the_caller_ends_the_map(places: list[str]) -> None:
    """It is no agent's, and nothing is given out after it."""
    given: list[str] = []

    def interrupted(address: str, run: int) -> None:
        given.append(address)
        raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyboardInterrupt):
        list(loom.fleet.each(works.reads, places, executor=pool, tell=interrupted))
    assert given == places[:1]


MAP = """
import sys
import loom
from tests.loom.fleet import works
list(loom.fleet.each(works.lives_on, sys.argv[1:], workers=2))
"""


def begun(address: str) -> None:
    """Wait until a worker elsewhere has an agent open."""
    while not works.beside(address, ".begun").exists():
        os.sched_yield()


def test_a_map_whose_caller_died_is_begun_again(places: list[str]) -> None:
    """Its agents are locked until their leases end: they are waited for, and go on."""
    addresses = [f"{place}?lease=2" for place in places[:2]]
    paths = os.pathsep.join(map(str, sys.path))
    with subprocess.Popen(
        [sys.executable, "-c", MAP, *addresses], env={**os.environ, "PYTHONPATH": paths}
    ) as caller:
        for address in addresses:
            begun(address)
        caller.kill()
    with ThreadPoolExecutor(2) as pool:
        runs = list(loom.fleet.each(works.reads, addresses, executor=pool, workers=2))
    assert [(run.error, run.runs) for run in runs] == [("", 1)] * 2
    for place in places[:2]:
        with loom.open(place) as ctx:
            assert works.taken(ctx) == works.STEPS


def test_who_is_open_for_too_long_is_told(places: list[str]) -> None:
    """Nothing is waited for with `wait=0`, and only so long with more; there is no result."""
    with loom.open(places[0], goal="Read."), ThreadPoolExecutor(1) as pool:
        for seconds in (0.0, 0.01):
            (run,) = loom.fleet.each(works.reads, places[:1], executor=pool, wait=seconds)
            assert run.error.startswith("StoreLocked: ") and "its lease ends in" in run.error
    assert run.result is None


def test_a_result_that_another_puts_meanwhile_is_taken(places: list[str]) -> None:
    """It was not worked for here."""
    with Processes(1) as other, ThreadPoolExecutor(1) as pool:
        first = other.submit(works.delivers_late, places[0])
        begun(places[0])
        (run,) = loom.fleet.each(works.finds_open, places[:1], executor=pool)
        first.result()
    assert run == FleetRun(places[0], AgentResult("0", "done", "by the first"), runs=0)


def test_an_agent_in_a_folder_is_waited_for(tmp_path: Path) -> None:
    """Its lock is asked for, as a lease is."""
    held = loom.open(tmp_path / "one", goal="Read.", window=8_192)

    def work(address: str) -> str:
        try:
            return works.reads(address)
        except loom.StoreLocked:
            held.close()
            raise

    with ThreadPoolExecutor(1) as pool:
        (run,) = loom.fleet.each(work, [str(tmp_path / "one")], executor=pool)
    assert run.result == AgentResult("one", "done", "4 steps")


@pytest.mark.parametrize("kind", ["file://", ""])
def test_a_lock_of_something_else_is_told_at_once(tmp_path: Path, kind: str) -> None:
    """What work opens beside its agent is its own matter: it is not begun again."""
    begun: list[str] = []
    with loom.open(f"{kind}{tmp_path}/other", goal="Read."), ThreadPoolExecutor(1) as pool:

        def work(address: str) -> str:
            begun.append(address)
            return works.reads(f"{kind}{tmp_path}/other")

        (run,) = loom.fleet.each(work, [f"{kind}{tmp_path}/one"], executor=pool, wait=60)
    assert run.error.startswith("StoreLocked: ") and len(begun) == 1
