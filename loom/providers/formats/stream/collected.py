"""A stream taken in while it is passed on, and closed however that ends."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from inspect import isawaitable
from typing import Any

from loom.errors import LoomError
from loom.providers.formats import Collector, UnknownReply, collector_for, untold
from loom.providers.formats.stream.chunks import BrokenStream
from loom.providers.formats.stream.spoken import Spoken
from loom.providers.formats.tagged import tags_are_content

STREAMED = "the chunks of one stream, each as the provider's library yields it"


class Collected:
    """A stream as far as it has come.

    `model` is who makes the reply where that does not say. `reasoning`: what is reasoned between
    tags is passed on, too.
    """

    def __init__(self, model: str = "", reasoning: bool = False) -> None:
        self._model = model
        self._reasoning = reasoning
        self._collector: Collector | None = None
        self._chunks = 0
        self._spoken = Spoken(self._tags_are_content)

    def take(self, chunk: object) -> None:
        """Add a chunk; raises UnknownReply for one of no known stream."""
        with _refusing(chunk):
            self._collector = self._collector or collector_for(chunk)
            self._collector.take(chunk)
        self._chunks += 1

    def passed(self, chunk: object) -> Iterator[Any]:
        """Add a chunk; what is passed on for it."""
        self.take(chunk)
        done = self._collector is not None and self._collector.done
        return iter((chunk,)) if self._reasoning else self._spoken.passed(chunk, done)

    def _tags_are_content(self) -> bool:
        assert self._collector is not None
        return tags_are_content(untold(self._collector.reply()), self._model)

    def reply(self) -> object:
        """The reply the stream made; raises BrokenStream when it is not all there."""
        if self._collector is None or not self._collector.done:
            raise BrokenStream(self._chunks)
        with _refusing(self._collector):
            return self._collector.reply()


@contextmanager
def _refusing(given: object) -> Iterator[None]:
    """Raise UnknownReply for a member of another type than any provider streams, or one nested
    without end."""
    try:
        yield
    except LoomError:
        raise
    except (TypeError, AttributeError, LookupError, ValueError, RecursionError) as error:
        raise UnknownReply(given, STREAMED) from error


@contextmanager
def closing(stream: object) -> Iterator[None]:
    """Close a stream in the end: one that was left early holds a connection."""
    try:
        yield
    finally:
        close = getattr(stream, "close", None)
        if callable(close):
            close()


@asynccontextmanager
async def collecting(
    stream: AsyncIterable[object], model: str = "", reasoning: bool = False
) -> AsyncIterator[Collected]:
    """Collect an asynchronous stream, and close it in the end."""
    try:
        yield Collected(model, reasoning)
    finally:
        close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
        done = close() if callable(close) else None
        if isawaitable(done):
            await done
