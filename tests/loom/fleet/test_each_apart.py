"""Addresses are asked for as they are given out, and what goes wrong is one agent's alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.fleet import FleetRun, Processes
from tests.kit.cases import all_cases
from tests.loom.fleet import works

pytest.importorskip("obstore", reason="needs obstore")


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    """Addresses of agents that are not there yet."""
    return [f"file://{tmp_path}/runs/{number}" for number in range(3)]


def outcomes(runs: Iterator[FleetRun]) -> dict[str, str]:
    """What came of each agent, by the last letter of its address."""
    return {run.address[-1]: run.result.summary if run.result else run.error for run in runs}


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


@pytest.mark.parametrize("text", ["s3://runs/a", b"s3://runs/a"])
def test_one_text_is_no_list_of_addresses(text: Any) -> None:
    """It is refused at once: each letter of it would be an agent."""
    with pytest.raises(TypeError, match=r"each: addresses is one (str|bytes); give a list"):
        loom.fleet.each(works.reads, text)


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
        told = outcomes(loom.fleet.each(work, places, executor=pool, workers=2))
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
        told = outcomes(loom.fleet.each(works.reads, places, executor=pool, workers=2))
    assert told == {"0": "RuntimeError: no room", "1": "4 steps", "2": "4 steps"}
    told = outcomes(loom.fleet.each(works.reads, places, executor=pool, workers=2))
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
