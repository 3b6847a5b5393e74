"""The host's model is run: any callable, whose faults are told and hold nothing."""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from loom.reduce.summarize import Ask, Model, Summarized, asummarize
from tests.kit.cases import all_cases
from tests.kit.ways import WAYS, awaited, threads, way

OUTPUT = "\n".join(f"job-{n} is done" for n in range(2_000))
TRUE = "job-1999 is done as well"
LIMIT = 1_000


@way
@all_cases("error", [ValueError("a\nb"), TimeoutError(), StopIteration(), OSError(5)])
def test_an_exception_is_a_reason(way: Callable[..., Summarized], error: Exception) -> None:
    """Whatever an ordinary exception is, it is told; the model's own time-out is not ours."""

    def model(ask: Ask) -> str:
        raise error

    async def later(ask: Ask) -> str:
        raise error

    for one in (model, later):
        done = way(OUTPUT, model=one, limit=LIMIT)
        assert done.by == "structure" and done.why.startswith("raised ") and "\n" not in done.why
    assert not threads()


@way
@all_cases("passing", [KeyboardInterrupt, asyncio.CancelledError])
def test_an_interrupt_passes(way: Callable[..., Summarized], passing: type[BaseException]) -> None:
    """What is no fault of the model's is not swallowed."""

    def model(ask: Ask) -> str:
        raise passing

    with pytest.raises(passing):
        way(OUTPUT, model=model, limit=LIMIT)


@way
def test_an_exception_is_let_go(way: Callable[..., Summarized]) -> None:
    """What the model raised holds nothing open until a collection: no cycle is left."""

    class Broken(Exception):
        pass

    kept: list[weakref.ref[Broken]] = []

    def model(ask: Ask) -> str:
        error = Broken("off")
        kept.append(weakref.ref(error))
        try:
            raise error
        finally:
            del error

    gc.collect()
    gc.disable()
    try:
        assert way(OUTPUT, model=model, limit=LIMIT).why == "raised Broken: off"
        assert kept[0]() is None
    finally:
        gc.enable()


def test_a_late_coroutine_is_closed() -> None:
    """A plain callable that gives its coroutine too late has it closed: nothing warns."""
    release = threading.Event()
    made: list[Any] = []

    async def answer() -> str:
        return TRUE

    def model(ask: Ask) -> Any:
        release.wait()
        made.append(answer())
        return made[0]

    done = awaited(OUTPUT, model=model, limit=LIMIT, timeout=0.05)
    left = threads()
    release.set()
    for thread in left:
        thread.join()
    assert done.why == "timed out after 0.05 s"
    assert inspect.getcoroutinestate(made[0]) == inspect.CORO_CLOSED


def test_a_cancelled_wait_is_cancelled() -> None:
    """Cancelling `asummarize` passes through and cancels the model."""
    ended: list[str] = []

    async def model(ask: Ask) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        return TRUE

    async def work() -> None:
        task = asyncio.create_task(asummarize(OUTPUT, model=model, limit=LIMIT))
        await asyncio.wait({task}, timeout=0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)

    asyncio.run(work())
    assert ended == ["cancelled"]


def test_a_model_of_any_kind() -> None:
    """An object with an async call, and a plain function that gives an awaitable, will do."""

    class Client:
        async def __call__(self, ask: Ask) -> str:
            return TRUE

    async def answer() -> str:
        return TRUE

    models: list[Model] = [Client(), lambda ask: answer(), lambda ask: TRUE]
    for model in models:
        for one in WAYS:
            assert one(OUTPUT, model=model, limit=LIMIT).by == "model"
