"""Collecting a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from loom.providers.formats import collector_for

Chunks = Iterable[object]


@pytest.fixture(scope="session")
def collect() -> Callable[[Chunks], dict[str, Any]]:
    """Return the reply of a stream that must be done at its end."""

    def run(chunks: Chunks) -> dict[str, Any]:
        stream = iter(chunks)
        first = next(stream)
        collector = collector_for(first)
        collector.take(first)
        for chunk in stream:
            collector.take(chunk)
        assert collector.done
        return collector.reply()

    return run
