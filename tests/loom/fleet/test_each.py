"""Agents at their addresses, worked on by executors: each has one result, whatever dies."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Event

import pytest

import loom
from loom.capabilities.agents.result import AgentResult
from loom.fleet import Processes
from tests.kit.cases import some
from tests.loom.fleet import works

pytest.importorskip("obstore", reason="needs obstore")


def spawned(workers: int) -> Executor:
    """The standard library's processes, as they are begun on every system."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    """Addresses of agents that are not there yet."""
    return [f"file://{tmp_path}/runs/{number}" for number in range(4)]


def test_no_agents_are_no_work() -> None:
    """Nothing is begun."""
    assert list(loom.fleet.each(works.raises, [])) == []


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


def test_what_json_can_hold_is_a_text_then(places: list[str]) -> None:
    """A dict that the function returns is the JSON text of the result's summary."""
    with ThreadPoolExecutor(1) as pool:
        (run,) = loom.fleet.each(lambda address: {"read": 4}, places[:1], executor=pool)
    assert run.result is not None and run.result.summary == '{"read":4}'


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
        with pytest.raises(loom.WorkerDied, match="exit code 3"):
            pool.submit(os._exit, 3).result()
        with pytest.raises(loom.LoomError, match="MuteError: it has no text"):
            pool.submit(works.mute, "0").result()
        assert pool.submit(len, "on").result() == 2
