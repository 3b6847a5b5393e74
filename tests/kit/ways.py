"""The ways a host asks for a summary: outside of a loop, inside of one, and awaited."""

import asyncio
import threading
from typing import Any

import pytest

from loom.reduce.summarize import THREAD, Summarized, asummarize, summarize


def threads() -> list[threading.Thread]:
    """Return the threads that wait for a model."""
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


def in_a_loop(text: str, **given: Any) -> Summarized:
    """Call `summarize` inside a running loop."""

    async def inside() -> Summarized:
        return summarize(text, **given)

    return asyncio.run(inside())


def awaited(text: str, **given: Any) -> Summarized:
    """Run `asummarize` to its end."""
    return asyncio.run(asummarize(text, **given))


WAYS = [summarize, in_a_loop, awaited]
way = pytest.mark.parametrize("way", WAYS, ids=["sync", "in a loop", "awaited"])
