"""The host's model is run: any callable, whose faults are told and hold nothing."""

from __future__ import annotations

import inspect
import threading
from typing import Any

from loom.reduce.summarize import Ask
from tests.kit.ways import awaited, threads

OUTPUT = "\n".join(f"job-{n} is done" for n in range(2_000))
TRUE = "job-1999 is done as well"
LIMIT = 1_000


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
