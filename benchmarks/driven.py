"""Sessions driven through a way to keep a window: a request before each reply of the model."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from benchmarks.show import Bar
from loom.inputs import Event, Reply
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom_bench.plain_list import Meter
from loom_bench.pool import spread
from loom_bench.recorded.named import RecordedStrategy, Unpaged, opener
from loom_bench.strategies.baselines import flat

Given = TypeVar("Given")
Made = TypeVar("Made")
RAW = "raw"  # the way that removes nothing
ENDLESS = 1 << 40  # tokens


@contextmanager
def opened(name: str, capacity: int, meter: Meter | None = None) -> Iterator[RecordedStrategy]:
    """A way by its name, at a capacity in tokens of a request."""
    meter = meter or Meter(counter_for())
    way: RecordedStrategy = (
        Unpaged(flat, ENDLESS, meter) if name == RAW else opener(name)(capacity, meter, False)
    )
    try:
        yield way
    finally:
        way.close()


def requests(
    events: Iterable[Event], way: RecordedStrategy
) -> Iterator[tuple[int, Sequence[Message]]]:
    """The place of each reply, and the request before it."""
    for at, event in enumerate(events):
        if isinstance(event, Reply):
            yield at, way.request()
        way.feed(event)


def gathered(
    title: str,
    work: Callable[[Given], Made],
    jobs: Sequence[Given],
    workers: int,
    tell: Callable[[Made], tuple[str, bool]],
) -> list[Made]:
    """The answers to jobs as they come. `tell` gives a line for stderr, and whether it is of
    something wrong, which a terminal shows beside its bar."""
    found: list[Made] = []
    with Bar(title, len(jobs)) as bar:
        for one in spread(work, jobs, workers):
            found.append(one)
            text, loud = tell(one)
            bar.advance(text=text, loud=loud)
    return found


def said(error: BaseException, at: int) -> str:
    """What ended a replay at an event, and where in the code."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return f"event {at}: {type(error).__name__}: {error} ({where})"
