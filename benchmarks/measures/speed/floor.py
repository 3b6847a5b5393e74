"""What any keeper of the same messages would pay, timed part by part on the same events.

The floor is the thread CPU of three parts: each new text looked through for secrets once, counted
once, and appended to a file once. Beside it, of every SAMPLED turns one: the wall time of an append
that is synced (a sync waits and takes no CPU), and the copy of a request's bytes, which whoever
sends it pays at least.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.json import encode

from benchmarks.measures.speed.figures import FIFTHS, Histogram
from loom.inputs import Event
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom_bench.sessions.planted import texts_of

PARTS = ("redaction", "counting", "append")
SAMPLED = 16  # turns of which one is synced and copied
_sync = getattr(os, "fdatasync", os.fsync)  # not every system has the first


class CostFloor:
    """The parts in milliseconds, summed; the whole floor of a turn by fifths; samples."""

    def __init__(self, folder: Path, steps: int) -> None:
        self._count, self._redact = counter_for(), Redactor()
        self._steps = steps
        self._log = (folder / "log").open("ab")
        self._synced = (folder / "synced").open("ab")
        self.parts = dict.fromkeys(PARTS, 0.0)
        self.fifths = [Histogram() for _ in range(FIFTHS)]
        self.synced, self.copied = Histogram(), Histogram()
        self.characters = 0

    def turn(self, number: int, events: Iterable[Event]) -> None:
        """Pay the floor for what comes in before turn `number`."""
        spent = 0.0
        for event in events:
            texts = list(texts_of(event))
            self.characters += sum(map(len, texts))
            marks = [time.thread_time()]
            clean = list(map(self._redact, texts))
            marks.append(time.thread_time())
            self._count.many(clean)
            marks.append(time.thread_time())
            self._log.write("".join(clean).encode("utf-8", "replace"))
            self._log.flush()
            marks.append(time.thread_time())
            for at, part in enumerate(PARTS):
                self.parts[part] += 1_000 * (marks[at + 1] - marks[at])
            spent += 1_000 * (marks[-1] - marks[0])
        self.fifths[number * FIFTHS // self._steps].add(spent)

    def sample(self, events: Iterable[Event], request: Mapping[str, Any]) -> None:
        """Time a synced append of what came in, and a copy of the request's bytes."""
        came = "".join(text for event in events for text in texts_of(event))
        begun = time.perf_counter()
        self._synced.write(came.encode("utf-8", "replace"))
        self._synced.flush()
        _sync(self._synced.fileno())
        self.synced.add(1_000 * (time.perf_counter() - begun))
        rendered = encode(request)
        begun = time.thread_time()
        bytearray(rendered)
        self.copied.add(1_000 * (time.thread_time() - begun))

    def close(self) -> None:
        """Close both files."""
        self._log.close()
        self._synced.close()
