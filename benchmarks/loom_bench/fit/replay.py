"""One session through the real engine, with constants and a policy that are on trial.

A source is a recorded session with labels of what its calls needed, a labelled takeover, or the
seed of a simulated session: what is asked of its requests, its script says.

What depends on neither constants nor policy is left out, for a search replays a session hundreds of
times: the workspace is in memory and has no views, secrets are not looked for, a text is counted
once in a process, and a replay of needs ends with the last label of its session.
"""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

import loom
from loom.compress.worth.fitted import ScoreConstants, use_constants
from loom.errors import LoomError
from loom.inputs import Event, Reply, Session
from loom.live import Context
from loom.policy import Policy
from loom.providers.counts import Counter
from loom.providers.render.message import Message
from loom.replay.feed import feed
from loom.replay.importers import load
from loom_bench.carried import rendered
from loom_bench.recorded.labels import SCORED, Label, Need, labels_of, needs_of
from loom_bench.recorded.paged import REPLY
from loom_bench.recorded.sources import derived
from loom_bench.recorded.takeovers import LabelledTakeover, TakeoverItem, plain
from loom_bench.sessions.needle import held_by_any, message_texts
from loom_bench.simulated.questions import RIGHT, TruthQuestion, questions
from loom_bench.simulated.reading import read
from loom_bench.simulated.world import world
from loom_paging import MemoryStore
from loom_partitions.records import Compressed, Renewed


class Candidate(Struct, frozen=True):
    """A candidate of the search: the constants of the score, and the policy around them."""

    fitted: ScoreConstants
    policy: Policy


class ReplaySums(Struct, frozen=True):
    """The counts one replay adds to a figure of its judge.

    `needs` are the questions that were asked, `resident` those whose answer a request held.
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
    judge: str = "needs"

    def __add__(self, other: ReplaySums) -> ReplaySums:
        levels = dict(Counts(self.levels) + Counts(other.levels))
        names = (name for name in self.__struct_fields__ if name not in ("levels", "judge"))
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return ReplaySums(**sums, levels=levels, judge=self.judge)


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


Source = Path | LabelledTakeover | int


class Moment(NamedTuple):
    """How many questions are asked of one request, and how many of the answers it holds."""

    questions: int
    right: Callable[[Sequence[Message]], int]


class Script(NamedTuple):
    """Events, and what is asked of the request before one, by its place; that of the end is their
    number."""

    judge: str
    events: tuple[Event, ...]
    asked: dict[int, Moment]

    @property
    def questions(self) -> int:
        """How many there are."""
        return sum(moment.questions for moment in self.asked.values())


@cache
def script(source: Source) -> Script:
    """What a source is replayed as. Raises BadSession."""
    if isinstance(source, Path):
        events, needs = recorded(source)
        at = {need.at: [one for one in needs if one.at == need.at] for need in needs}
        asked = {place: Moment(len(some), partial(_needed, some)) for place, some in at.items()}
        return Script("needs", events, asked)
    if isinstance(source, LabelledTakeover):
        given = source.load()
        items = {len(given.events): Moment(len(given.items), partial(_said, given.items))}
        return Script("takeover", given.events, items)
    session = world(source, held_out=True)
    every = {at: questions(session.truths[at - 1]) for at in session.moments}
    moments = {at: Moment(len(some), partial(_told, some)) for at, some in every.items()}
    return Script("ask", session.events, moments)


def _needed(needs: Sequence[Need], request: Sequence[Message]) -> int:
    texts = message_texts(request)
    return sum(held_by_any(need.needle, texts) for need in needs)


def _said(items: Sequence[TakeoverItem], request: Sequence[Message]) -> int:
    text = " ".join(map(plain, rendered(request)))
    return sum(item.answered(text) for item in items)


def _told(asked: Sequence[TruthQuestion], request: Sequence[Message]) -> int:
    reading = read(request)
    return sum(one.verdict(one.answer(reading)) == RIGHT for one in asked)


def name_of(source: Source) -> str:
    """The session a source is of: what is asked of one session stays in one half."""
    return source.stem if isinstance(source, Path | LabelledTakeover) else f"seed {source}"


def size_of(source: Source) -> int:
    """Bytes of a recorded session, 0 for a simulated one: the longest is begun first."""
    path = source.session if isinstance(source, LabelledTakeover) else source
    return path.stat().st_size if isinstance(path, Path) else 0


DENSE = 0.8  # of the questions


def dense(sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sources with most questions for a call, until they hold DENSE of those of their judge."""
    ratios = {one: _density(script(one)) for one in sources}
    order = sorted(sources, key=lambda one: (-ratios[one], str(one)))
    left: dict[str, float] = {}
    for one in sources:
        made = script(one)
        left[made.judge] = left.get(made.judge, 0.0) + DENSE * made.questions
    found: list[Source] = []
    for one in order:
        made = script(one)
        if left[made.judge] > 0:
            found.append(one)
            left[made.judge] -= made.questions
    return tuple(found)


def _density(made: Script) -> float:
    return made.questions / max(sum(isinstance(event, Reply) for event in made.events), 1)


def replayed(
    source: Source, trials: Sequence[Candidate], capacities: Sequence[int]
) -> list[tuple[ReplaySums, ...]]:
    """Of each trial the sums of this source at each capacity (tokens). Raises BadSession."""
    made = script(source)
    return [tuple(_replay(made, trial, capacity) for capacity in capacities) for trial in trials]


def _replay(made: Script, trial: Candidate, capacity: int) -> ReplaySums:
    resident = calls = sent = reused = failed = before = 0
    cut = _Cuts()
    with use_constants(trial.fitted), _opened(trial.policy, capacity, cut) as context:
        try:
            for place, event in enumerate((*made.events, None)):
                asked = made.asked.get(place)
                if isinstance(event, Reply) or asked:
                    turn = context.turn()
                    calls += 1
                    total = turn.pressure.tokens.total
                    reused += cut.reused(before)
                    sent, before = sent + total, total
                    resident += asked.right(turn.messages) if asked else 0
                if event is not None:
                    feed(context, event)
        except LoomError:
            failed = 1
        cuts = context.window.sent.cuts
        return ReplaySums(
            made.questions, resident, calls, sent, cuts, failed, reused, dict(cut.levels),
            made.judge,
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
