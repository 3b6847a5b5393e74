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
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

import loom
from benchmarks.options import CommandResult, Limit, Sessions, measuring
from benchmarks.show import by_row, on_stderr
from loom.inputs import Event, Reasoning, Reply, Session
from loom.providers import provider_of
from loom.providers.counts.calibration import calibrate
from loom.providers.formats import anthropic
from loom.providers.formats.wire import compact_json
from loom.replay.feed import feed
from loom.replay.importers import find, load
from loom.replay.importers.rows import read_rows
from loom.replay.importers.talks import split_into_talks
from loom_bench.errors import BadBench
from loom_partitions.limits import Sample
from loom_partitions.sent import SAMPLES

FIRST = 10  # samples of a session that are learned from before errors count
WINDOW = 10_000_000  # tokens: nothing is ever cut, the recorder did that
# Figure → its column, and what it has to stay below.
COLUMNS = {
    "sessions": "sessions", "calls": "calls", "median_abs": "median", "p95_abs": "p95",
    "bound_exceeded": "exceeded", "margin_median": "margin", "margin_mean": "mean",
    "uncalibrated_median": "prior", "ratio_median": "ratio", "ratio_p90": "p90",
}  # fmt: skip
TARGETS = {"median_abs": 0.03, "p95_abs": 0.10, "bound_exceeded": 0.01, "margin_median": 0.08}


class Prediction(NamedTuple):
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
        for session, talk in zip(load(path), split_into_talks(path, read_rows(path)), strict=True):
            if any(isinstance(event, Reply) and event.prompt_tokens for event in session.events):
                yield session, sorted(
                    item.index for item in talk.items
                    if item.value.get("compact_boundary")
                    or item.value.get("subtype") == "compact_boundary"
                )  # fmt: skip


def measure(session: Session, marks: list[int], model: str) -> Calls:
    """Predict, compare and learn, call by call."""
    seen: list[Sample] = []
    calls: Calls = []
    policy = loom.Policy(own_tools=False)
    with TemporaryDirectory(prefix="loom-calibration-") as folder:
        for number, events in groupby(session.events, lambda one: bisect_left(marks, one.index)):
            last = Sample(0, 0)
            place = Path(folder) / str(number)
            with loom.open(place, window=WINDOW, model=model, policy=policy, durable=False) as ctx:
                for event in events:
                    if isinstance(event, Reply) and event.prompt_tokens:
                        ctx.turn()
                        tokens, name = ctx.window.tokens.total, event.model or model
                        now = Sample(tokens, event.prompt_tokens, name)
                        calls.append(_predicted(now, seen, last))
                        seen, last = [*seen, now][-SAMPLES:], now
                    feed(ctx, _as_sent(event))
    return calls


def _predicted(sample: Sample, seen: Sequence[Sample], before: Sample) -> Prediction:
    """A request's size told from the reports before it; `before` is the last of its context."""
    prior = provider_of(sample.model)
    known = calibrate(seen, sample.model, prior.ratio, prior.high)
    grown = sample.tokens - before.tokens if sample.model == before.model else 0
    slope = (sample.reported - before.reported) / grown if grown > 0 else 0.0
    sizes = known.estimate(sample.tokens), known.bound(sample.tokens)
    return Prediction(sample.reported, *sizes, prior.ratio * sample.tokens, slope)


def _as_sent(event: Event) -> Event:
    """The event without its report; reasoning kept as text becomes a block that is sent again."""
    if not isinstance(event, Reply):
        return event
    parts = tuple(
        replace(part, opaque=compact_json({"type": "thinking", "thinking": part.text}),
                format=anthropic.NAME)
        if isinstance(part, Reasoning) and part.text and not part.opaque
        else part
        for part in event.parts
    )  # fmt: skip
    return replace(event, parts=parts, prompt_tokens=0)


def figures(sessions: Sequence[Calls]) -> dict[str, Any]:
    """The figures over all calls of some sessions that come after their first samples."""
    calls = [call for one in sessions for call in one[FIRST:]]
    truth, estimate, bound, prior, _ = np.array(calls or [Prediction(1, 1, 1, 1, 0)], float).T
    slopes = [call.slope for one in sessions for call in one if call.slope > 0] or [0]
    errors, priors, margins = abs(estimate / truth - 1), abs(prior / truth - 1), bound / truth - 1
    shares = {
        "median_abs": np.quantile(errors, 0.5),
        "p95_abs": np.quantile(errors, 0.95),
        "bound_exceeded": np.mean(margins < 0),
        "uncalibrated_median": np.quantile(priors, 0.5),
        "margin_median": np.quantile(margins, 0.5),
        "margin_mean": np.mean(margins),
        "ratio_median": np.quantile(slopes, 0.5),
        "ratio_p90": np.quantile(slopes, 0.9),
    }
    rounded = {name: round(float(share), 4) for name, share in shares.items()}
    return {"sessions": len(sessions), "calls": len(calls), **rounded}


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
    every: list[Calls] = []
    for session, marks in islice(reported(sessions), limit or None):
        every.append(measure(session, marks, model))
        on_stderr(f"{session.name}: {len(every[-1])} calls")
    if not any(one[FIRST:] for one in every):
        raise BadBench(f"--sessions: none reports the sizes of more than {FIRST} requests")
    report = figures(every)
    missed = [
        f"{name} {report[name]} is not below {target}"
        for name, target in TARGETS.items()
        if report[name] >= target
    ]
    return CommandResult(report, [by_row("Calibration", {"all": report}, COLUMNS)], missed=missed)
