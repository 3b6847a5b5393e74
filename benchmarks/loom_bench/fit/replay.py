"""One labelled session through the real engine, with constants and a policy that are on trial.

What does not depend on either is left out, for a search replays a session hundreds of times: the
workspace is in memory and has no views, secrets are not looked for, a text is counted once in a
process, and a replay ends with the last label of its session.
"""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

import loom
from loom.compress.worth.fitted import ScoreConstants, using
from loom.errors import LoomError
from loom.inputs import Event, Reply, Session
from loom.live import Context
from loom.policy import Policy
from loom.providers.counts import Counter
from loom.replay.feed import feed
from loom.replay.importers import load
from loom_bench.recorded.labels import SCORED, Label, Need, labels_of, needs_of
from loom_bench.recorded.paged import REPLY
from loom_bench.recorded.sources import derived
from loom_bench.sessions.needle import held_by_any, message_texts
from loom_paging import MemoryStore
from loom_partitions.records import Compressed, Renewed


class Candidate(Struct, frozen=True):
    """A candidate of the search: the constants of the score, and the policy around them."""

    fitted: ScoreConstants
    policy: Policy


class ReplaySums(Struct, frozen=True):
    """The counts one replay adds to a figure.

    `needs` are the labelled calls, `resident` those whose needle the request before them held.
    `calls` are requests, `sent` their tokens, `reused` those of them that stood in front of the
    request before, `cuts` the changes to what was sent before, `levels` the same by name. `failed`
    is 1 when the engine refused to go on; the needs from there on are not resident.
    """

    needs: int = 0
    resident: int = 0
    calls: int = 0
    sent: int = 0
    cuts: int = 0
    failed: int = 0
    reused: int = 0
    levels: dict[str, int] = {}

    def __add__(self, other: ReplaySums) -> ReplaySums:
        levels = dict(Counts(self.levels) + Counts(other.levels))
        names = (name for name in self.__struct_fields__ if name != "levels")
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return ReplaySums(**sums, levels=levels)


ASKED = 200  # replies of a session whose needs are looked for, where no labels say them


class Unlabelled(NamedTuple):
    """A recorded session without labels: they follow from its calls."""

    path: Path

    def load(self) -> tuple[Session, list[Label]]:
        """The file's longest session and the labels of its needs. Raises BadSession."""
        session = max(load(self.path), key=lambda one: len(one.events))
        return session, derived(session.events, ASKED)


@cache
def recorded(path: Path) -> tuple[tuple[Event, ...], tuple[Need, ...]]:
    """The events of a session up to its last scored label, and the needs by those labels, or by its
    calls where it has none.

    Raises BadSession.
    """
    session, needs = needs_of(path if labels_of(path).exists() else Unlabelled(path))
    scored = tuple(need for need in needs if need.label.kind in SCORED)
    last = max((need.at for need in scored), default=-1)
    return session.events[: last + 1], scored


DENSE = 0.8  # of the needs


def dense(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The sessions with most needs for a call, until they hold DENSE of the needs."""
    counts = {}
    for path in paths:
        events, needs = recorded(path)
        calls = sum(isinstance(event, Reply) for event in events)
        counts[path] = (len(needs), calls)
    order = sorted(paths, key=lambda path: (-counts[path][0] / max(counts[path][1], 1), path))
    left = DENSE * sum(needs for needs, _ in counts.values())
    found: list[Path] = []
    for path in order:
        if left <= 0:
            break
        found.append(path)
        left -= counts[path][0]
    return tuple(found)


def replayed(
    path: Path, trials: Sequence[Candidate], capacities: Sequence[int]
) -> list[tuple[ReplaySums, ...]]:
    """Of each trial the sums of this session at each capacity (tokens). Raises BadSession."""
    return [tuple(_replay(path, trial, capacity) for capacity in capacities) for trial in trials]


def _replay(path: Path, trial: Candidate, capacity: int) -> ReplaySums:
    events, needs = recorded(path)
    at: dict[int, list[Need]] = {}
    for need in needs:
        at.setdefault(need.at, []).append(need)
    resident = calls = sent = reused = failed = before = 0
    cut = _Cuts()
    with using(trial.fitted), _opened(trial.policy, capacity, cut) as context:
        try:
            for place, event in enumerate(events):
                if isinstance(event, Reply):
                    turn = context.turn()
                    calls += 1
                    total = turn.pressure.tokens.total
                    reused += cut.reused(before)
                    sent, before = sent + total, total
                    for need in at.get(place, ()):
                        resident += held_by_any(need.needle, message_texts(turn.messages))
                feed(context, event)
        except LoomError:
            failed = 1
        cuts = context.window.sent.cuts
        return ReplaySums(
            len(needs), resident, calls, sent, cuts, failed, reused, dict(cut.levels)
        )  # fmt: skip


class _Cuts:
    """The hook that is told of the cuts of a replay."""

    def __init__(self) -> None:
        self.levels: Counts[str] = Counts()
        self._reusable: int | None = None

    def __call__(self, record: Compressed | Renewed) -> None:
        """Note a cut: its level, and how much of the request before stays in front."""
        self.levels[record.level if isinstance(record, Compressed) else "renewal"] += 1
        least = record.certificate.reusable
        self._reusable = least if self._reusable is None else min(least, self._reusable)

    def reused(self, before: int) -> int:
        """Tokens of a request that stood in front of the one before, of so many: all but for cuts
        made since."""
        found, self._reusable = self._reusable, None
        return before if found is None else min(found, before)


class Bare(MemoryStore):
    """A store without views: the engine does without one that cannot be written."""

    def sketch(self, name: str, data: bytes) -> None:
        """Refuse a derived view."""
        raise OSError(f"{name}: a replay keeps no views")


def _opened(policy: Policy, capacity: int, cut: _Cuts) -> Context:
    context = loom.open(
        Bare(),
        window=capacity + REPLY,
        reply=REPLY,
        policy=replace(policy, own_tools=False),
        redact=(),
        on_cut=cut,
    )
    remember(context._engine.sizes.count)
    return context


_KNOWN: dict[str, dict[str, int]] = {}  # encoding → text → tokens


def remember(counter: Counter) -> None:
    """Let a counter look up what this process has counted before."""
    counter._batch = _remembering(counter._batch, _KNOWN.setdefault(counter.encoding, {}))


def _remembering(
    batch: Callable[[list[str]], list[int]], known: dict[str, int]
) -> Callable[[list[str]], list[int]]:
    def remembered(texts: list[str]) -> list[int]:
        fresh = [text for text in texts if text not in known]
        if fresh:
            known.update(zip(fresh, batch(fresh), strict=True))
        return [known[text] for text in texts]

    return remembered
