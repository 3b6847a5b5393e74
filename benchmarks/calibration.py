"""`calibration`: recorded sessions whose providers reported the size of each request.

Each session is replayed through a real context, its reports held back. Before every reply the size
of the request is predicted from the reports so far, compared with the recorded one, and learned.

What is replayed is what was sent. Where the recorder compacted, the request started anew with the
summary, so a fresh context is opened there (its samples go on). Reasoning recorded as text stood in
the requests, so it gets the block it was sent as. What the recorder added unseen (its instructions,
tools, attachments) or dropped unseen (old results, earlier reasoning) stays unseen here too.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

import loom
from benchmarks.options import CommandResult, Limit, Sessions, measuring
from benchmarks.show import by_row, on_stderr
from loom.inputs import Event, Reasoning, Reply, Session
from loom.providers import provider_of
from loom.providers.counts.calibration import calibrate
from loom.providers.formats import anthropic
from loom.providers.formats.wire import compact
from loom.replay.feed import feed
from loom.replay.importers import find, load
from loom.replay.importers.rows import read
from loom.replay.importers.talks import talks
from loom_bench.errors import BadBench
from loom_partitions.limits import Sample
from loom_partitions.sent import SAMPLES

FIRST = 10  # samples of a session that are learned from before errors count
WINDOW = 10_000_000  # tokens: nothing is ever cut, the recorder did that


class Prediction(Struct, frozen=True):
    """One prediction, all in tokens of the provider; `prior` is what no report would have led to.

    `slope` is reported for counted growth since the call before, 0 where nothing grew.
    """

    truth: int
    estimate: int
    bound: int
    prior: float
    slope: float


Calls = list[Prediction]  # of one session


def reported(folders: Iterable[Path]) -> Iterator[tuple[Session, list[int]]]:
    """The sessions that report sizes, each with the numbers of the messages that mark a compaction
    by the recorder. Raises BadSession."""
    for path in find(folders):
        for session, talk in zip(load(path), talks(path, read(path)), strict=True):
            if any(isinstance(event, Reply) and event.prompt_tokens for event in session.events):
                marks = (
                    item.index
                    for item in talk.items
                    if item.value.get("compact_boundary")
                    or item.value.get("subtype") == "compact_boundary"
                )
                yield session, sorted(marks)


def requests(session: Session, marks: list[int], model: str) -> Iterator[tuple[Sample, int]]:
    """Each reported request as counted and reported, and the number of its context."""
    policy = loom.Policy(own_tools=False)
    with TemporaryDirectory(prefix="loom-calibration-") as folder:
        for number, events in groupby(session.events, lambda one: bisect_left(marks, one.index)):
            place = Path(folder) / str(number)
            with loom.open(
                place, window=WINDOW, model=model, policy=policy, durable=False
            ) as context:
                for event in events:
                    if isinstance(event, Reply) and event.prompt_tokens:
                        context.turn()
                        tokens = context.window.tokens.total
                        yield Sample(tokens, event.prompt_tokens, event.model or model), number
                    feed(context, _as_sent(event))


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


def measure(session: Session, marks: list[int], model: str) -> Calls:
    """Predict, compare and learn, call by call."""
    seen: list[Sample] = []
    calls: Calls = []
    before = (Sample(0, 0), -1)
    for sample, number in requests(session, marks, model):
        prior = provider_of(sample.model)
        known = calibrate(seen, sample.model, prior.ratio, prior.high)
        grown = sample.tokens - before[0].tokens
        same = number == before[1] and sample.model == before[0].model and grown > 0
        slope = (sample.reported - before[0].reported) / grown if same else 0.0
        sizes = known.estimate(sample.tokens), known.bound(sample.tokens)
        calls.append(Prediction(sample.reported, *sizes, prior.ratio * sample.tokens, slope))
        seen = [*seen, sample][-SAMPLES:]
        before = (sample, number)
    return calls


ROUNDED = 4
# Figure → what it has to stay below.
TARGETS = {"median_abs": 0.03, "p95_abs": 0.10, "bound_exceeded": 0.01, "margin_median": 0.08}


def figures(sessions: Sequence[Calls]) -> dict[str, Any]:
    """The figures over all calls of some sessions that come after their first samples."""
    calls = [call for one in sessions for call in one[FIRST:]]
    slopes = [call.slope for one in sessions for call in one if call.slope > 0]
    errors = [abs(call.estimate / call.truth - 1) for call in calls]
    margins = [call.bound / call.truth - 1 for call in calls]
    priors = [abs(call.prior / call.truth - 1) for call in calls]
    shares = {
        "median_abs": np.quantile(errors or [0], 0.5),
        "p95_abs": np.quantile(errors or [0], 0.95),
        "bound_exceeded": np.mean([margin < 0 for margin in margins or [0]]),
        "uncalibrated_median": np.quantile(priors or [0], 0.5),
        "margin_median": np.quantile(margins or [0], 0.5),
        "margin_mean": np.mean(margins or [0]),
        "ratio_median": np.quantile(slopes or [0], 0.5),
        "ratio_p90": np.quantile(slopes or [0], 0.9),
    }
    rounded = {name: round(float(share), ROUNDED) for name, share in shares.items()}
    return {"sessions": len(sessions), "calls": len(calls), **rounded}


# Figure → its column.
COLUMNS = {
    "sessions": "sessions", "calls": "calls", "median_abs": "median", "p95_abs": "p95",
    "bound_exceeded": "exceeded", "margin_median": "margin", "margin_mean": "mean",
    "uncalibrated_median": "prior", "ratio_median": "ratio", "ratio_p90": "p90",
}  # fmt: skip


@measuring
def calibration(
    *,
    sessions: Sessions,
    model: str = "claude",
    limit: Limit = 0,
) -> CommandResult:
    """Predict the reported size of every recorded request, and compare.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without reported sizes are passed over.
    model
        The model of sessions that do not name it.
    """
    folders: dict[str, list[Calls]] = {}
    for session, marks in islice(reported(sessions), limit or None):
        calls = measure(session, marks, model)
        folders.setdefault(Path(session.source).parent.name, []).append(calls)
        on_stderr(f"{session.name}: {len(calls)} calls")
    every = [one for some in folders.values() for one in some]
    if not any(one[FIRST:] for one in every):
        raise BadBench(f"--sessions: none reports the sizes of more than {FIRST} requests")
    report = figures(every)
    parts = {name: figures(some) for name, some in folders.items()}
    shown = by_row("Calibration", {**parts, "all": report}, COLUMNS)
    missed = [
        f"{name} {report[name]} is not below {target}"
        for name, target in TARGETS.items()
        if report[name] >= target
    ]
    return CommandResult({**report, "folders": parts}, [shown], missed=missed)
