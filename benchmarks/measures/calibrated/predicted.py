"""Calibration measured: recorded sessions whose providers reported the size of each request.

Each session is replayed through a real context, its reports held back. Before every reply the size
of the request is predicted from the reports so far, compared with the recorded one, and learned.

What is replayed is what was sent. Where the recorder compacted, the request started anew with the
summary, so a fresh context is opened there (its samples go on). Reasoning recorded as text stood in
the requests, so it gets the block it was sent as. What the recorder added unseen (its instructions,
tools, attachments) or dropped unseen (old results, earlier reasoning) stays unseen here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

import loom
from loom.inputs import Event, Reasoning, Reply, Session
from loom.providers import provider_of
from loom.providers.counts.calibration import calibrate
from loom.providers.formats import anthropic
from loom.providers.formats.wire import compact
from loom.replay.feed import feed
from loom.replay.importers import find, load
from loom.replay.importers.rows import read
from loom.replay.importers.talks import Talk, talks
from loom_partitions.limits import Sample
from loom_partitions.sent import SAMPLES

FIRST = 10  # samples of a session that are learned from before errors count
WINDOW = 10_000_000  # tokens: nothing is ever cut, the recorder did that
HALVES = ("tuning", "check")  # constants are fitted on the first; by the hash of the session's name


class Prediction(Struct, frozen=True):
    """One prediction, all in tokens of the provider; `prior` is what no report would have led to.

    `slope` is reported for counted growth since the call before, 0 where nothing grew.
    """

    truth: int
    estimate: int
    bound: int
    prior: float
    slope: float


class Measured(Struct, frozen=True):
    """The calls of one session. `half` is one of HALVES, `group` the folder it lay in."""

    session: str
    group: str
    half: str
    calls: tuple[Prediction, ...]


def boundaries(talk: Talk) -> tuple[int, ...]:
    """The numbers of the messages that mark a compaction by the recorder."""
    return tuple(
        item.index
        for item in talk.items
        if item.value.get("compact_boundary") or item.value.get("subtype") == "compact_boundary"
    )


def reported(folders: Iterable[Path]) -> Iterator[tuple[Session, tuple[int, ...]]]:
    """The sessions that report sizes, each with its boundaries. Raises BadSession."""
    for path in find(folders):
        for session, talk in zip(load(path), talks(path, read(path)), strict=True):
            if any(isinstance(event, Reply) and event.prompt_tokens for event in session.events):
                yield session, boundaries(talk)


def requests(session: Session, marks: Sequence[int], model: str) -> Iterator[tuple[Sample, int]]:
    """Each reported request as counted and reported, and the number of its context."""
    with TemporaryDirectory(prefix="loom-calibration-") as folder:
        for number, events in enumerate(_contexts(session.events, marks)):
            with loom.open(
                Path(folder) / str(number),
                window=WINDOW,
                model=model,
                policy=loom.Policy(own_tools=False),
                durable=False,
            ) as context:
                for event in events:
                    if isinstance(event, Reply) and event.prompt_tokens:
                        context.turn()
                        tokens = context.window.tokens.total
                        yield Sample(tokens, event.prompt_tokens, event.model or model), number
                    feed(context, _as_sent(event))


def _contexts(events: Sequence[Event], marks: Sequence[int]) -> list[list[Event]]:
    """The events between boundaries."""
    left = sorted(marks, reverse=True)
    parts: list[list[Event]] = [[]]
    for event in events:
        if left and event.index > left[-1]:
            parts.append([])
        while left and event.index > left[-1]:
            left.pop()
        parts[-1].append(event)
    return [part for part in parts if part]


def _as_sent(event: Event) -> Event:
    """The event without its report; reasoning kept as text becomes a block that is sent again."""
    if not isinstance(event, Reply):
        return event
    parts = tuple(
        replace(
            part,
            opaque=compact({"type": "thinking", "thinking": part.text}),
            format=anthropic.NAME,
        )
        if isinstance(part, Reasoning) and part.text and not part.opaque
        else part
        for part in event.parts
    )
    return replace(event, parts=parts, prompt_tokens=0)


def measure(session: Session, marks: Sequence[int], model: str) -> Measured:
    """Predict, compare and learn, call by call."""
    seen: list[Sample] = []
    calls: list[Prediction] = []
    before = (Sample(0, 0), -1)
    for sample, number in requests(session, marks, model):
        prior = provider_of(sample.model)
        known = calibrate(seen, sample.model, prior.ratio, prior.high)
        grown = sample.tokens - before[0].tokens
        same = number == before[1] and sample.model == before[0].model and grown > 0
        calls.append(
            Prediction(
                truth=sample.reported,
                estimate=known.estimate(sample.tokens),
                bound=known.bound(sample.tokens),
                prior=prior.ratio * sample.tokens,
                slope=(sample.reported - before[0].reported) / grown if same else 0.0,
            )
        )
        seen.append(sample)
        seen = seen[-SAMPLES:]
        before = (sample, number)
    half = HALVES[crc32(session.name.encode()) % len(HALVES)]
    return Measured(session.name, Path(session.source).parent.name, half, tuple(calls))
