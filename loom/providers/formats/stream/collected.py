"""A stream taken in while it is passed on, and closed however that ends."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from inspect import isawaitable

from loom.errors import LoomError
from loom.providers.formats import Collector, UnknownReply, collector_for
from loom.providers.formats.stream.failures import BrokenStream

STREAMED = "the chunks of one stream, each as the provider's library yields it"


class Collected:
    """A stream as far as it has come."""

    def __init__(self) -> None:
        self._collector: Collector | None = None
        self._chunks = 0

    def take(self, chunk: object) -> None:
        """Add a chunk; raises UnknownReply for one of no known stream."""
        with _refusing(chunk):
            self._collector = self._collector or collector_for(chunk)
            self._collector.take(chunk)
        self._chunks += 1

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
async def collecting(stream: AsyncIterable[object]) -> AsyncIterator[Collected]:
    """Collect an asynchronous stream, and close it in the end."""
    try:
        yield Collected()
    finally:
        close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
        done = close() if callable(close) else None
        if isawaitable(done):
            await done
