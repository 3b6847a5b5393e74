"""Agents that another has open."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import loom
from loom.capabilities.agents.result import AgentResult
from loom.fleet import FleetRun, Processes
from tests.loom.fleet import works

pytest.importorskip("obstore", reason="needs obstore")


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
