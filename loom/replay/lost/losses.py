"""What a recorded session lost at each compaction of its client, and what that cost.

Theory of operation. The session is fed to two Loom windows, without the client's summaries. The
large window has the size of the client's conversation at its first compaction. The small window has
the size of what the client's summaries left. Both sizes are Loom's counts. At a compaction the
things in use are the user's rules, the failing checks, and the files and ids that the next messages
use again. Each thing is looked for in the client's summary and kept texts, then in the next request
of each Loom window, and in the pages and entries that this request names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from loom.compress.digest.entry_facts import collect_facts
from loom.inputs import ClientCompaction, Event, Session, System, User
from loom.providers.counts import counter_for
from loom.providers.prices import Prices
from loom.reduce.client_notes import typed_text
from loom.replay.cost import tally_compactions
from loom.replay.importers.loss_notes import loss_summary
from loom.replay.importers.recorded_facts import event_texts
from loom.replay.lost.bands import RequestBands, client_bill, is_summary, request_bands
from loom.replay.lost.calls import calls_of
from loom.replay.lost.going_back import AHEAD, ShownBefore, WentBack, call_text, list_went_back
from loom.replay.lost.held_texts import HeldTexts
from loom.replay.lost.in_use import NEVER, files_and_ids_used_again, rules_and_checks
from loom.replay.lost.loom_window import LoomWindow, open_loom_window
from loom.text import escape_invisible, one_line
from loom_partitions.message import Fact

LEAST = 8_000  # tokens: the smallest window that `benchmarks sweep` tries is 8,192
TITLE = 2_000  # characters, before secrets are replaced and it is shortened
CLIENTS = {"claude-code": "Claude Code", "codex": "Codex", "opencode": "opencode", "pi": "pi",
           "openhands": "OpenHands", "inspect": "Inspect", "langchain": "LangChain"}  # fmt: skip
# How a client begins a summary: it tells the client where the lines were written by another.
BEGINNINGS = {
    "This session is being continued from a previous conversation": "Claude Code",
    "Another language model started to solve this problem": "Codex",
    "The conversation history before this point was compacted": "pi",
}
# Shapes whose lines have what the client kept beside a summary.
RECORDED = ("claude-code", "codex", "opencode", "openhands", "pi")
AUTO = "auto"  # what triggers a compaction that nobody asked for


class LostThing(Struct, frozen=True):
    """A thing in use at a compaction. `kind` is "rule", "check", "file" or "id". `told` describes
    the thing. `message` is the number of the message it came from. `held` is True if the client's
    summary or kept texts mention it. `loom` has the place where each Loom window had it.

    `needed` is the number of the message that used the thing again, `shown` the number of the
    message that showed it before `needed`, or NEVER. `by` describes the call that showed it, or is
    ""."""

    kind: str
    told: str
    message: int
    held: bool
    loom: tuple[str, ...]
    needed: int = NEVER
    shown: int = NEVER
    by: str = ""


class CompactionLoss(Struct, frozen=True):
    """One compaction. `message` is the number of the message where it happened, `when` its time.
    `before` and `after` are the tokens of the request before and after it, `summary` those of the
    summary. `dollars` and `minutes` are what writing the summary took, 0 if not recorded. `things`
    are the things in use, `back` the things that the model read, ran or searched again."""

    message: int
    when: int
    before: int
    after: int
    summary: int
    dollars: float
    minutes: float
    things: tuple[LostThing, ...] = ()
    back: tuple[WentBack, ...] = ()

    @property
    def lost(self) -> tuple[LostThing, ...]:
        """The things in use that neither the summary nor the client's kept texts mention."""
        return tuple(one for one in self.things if not one.held)


class SentInput(Struct, frozen=True):
    """Sums over all requests of a session: number of requests, tokens sent, dollars. `room` is the
    size of the Loom window in tokens, 0 for the client's own requests."""

    room: int
    requests: int
    sent: int
    dollars: float


class SessionLoss(Struct, frozen=True):
    """A session and what it lost at its compactions. `title` is the beginning of the user's first
    message. `when` is the time of the first message. `times` maps message numbers to times.

    `inputs` has the sums for the client and for each Loom window, without instructions and tools.
    `whole` is True if the recording has the texts that the client kept beside a summary.
    `recording` lists what could not be read. All texts are as recorded. Replace secrets before you
    shorten them."""

    name: str
    title: str
    project: str
    when: int
    client: str
    model: str
    prices: Prices
    times: dict[int, int] = {}
    requests: tuple[RequestBands, ...] = ()
    compactions: tuple[CompactionLoss, ...] = ()
    inputs: tuple[SentInput, ...] = ()
    whole: bool = False
    recording: tuple[str, ...] = ()


def losses(session: Session, folder: Path, prices: Prices) -> SessionLoss:
    """Return what a session lost at each compaction. For comparison, two Loom windows are made in
    `folder` if the session has compactions. Errors of feeding the session are raised."""
    events = session.events
    times = {one.index: at for one, at in zip(events, session.times, strict=False) if at}
    cut = bool(session.compactions)
    requests = request_bands(session) if cut else ()
    made, inputs = _compaction_losses(session, folder, prices, requests) if cut else ((), ())
    return SessionLoss(
        name=session.name,
        title=first_words(events),
        project=session.project,
        when=next(iter(times.values()), 0),
        client=_client_name(session),
        model=session.model,
        prices=prices,
        times=times,
        requests=requests,
        compactions=made,
        inputs=inputs,
        whole=session.shape in RECORDED,
        recording=tuple(loss_summary(session.mended)),
    )


def _client_name(session: Session) -> str:
    """Return the name of the client that compacted a session, such as "Codex", or ""."""
    told = (session.shape, *(one.trigger for one in session.compactions))
    named = [CLIENTS[one] for one in told if one in CLIENTS]
    for begins, name in BEGINNINGS.items():
        named += [name for one in session.compactions if one.summary.startswith(begins)]
    return (*named, "")[0]


def first_words(events: Iterable[Event]) -> str:
    """Return the beginning of the user's first message on one line, "" if there is none."""
    said = (
        typed_text(one.text) for one in events if isinstance(one, User) and one.kind != "summary"
    )
    return escape_invisible(one_line(next((one for one in said if one.strip()), ""), TITLE))


def _compaction_losses(
    session: Session, folder: Path, prices: Prices, requests: Sequence[RequestBands]
) -> tuple[tuple[CompactionLoss, ...], tuple[SentInput, ...]]:
    """Return (the losses at each compaction, request sums of the client and each Loom window)."""
    count, first = counter_for(), session.compactions[0].at
    talk = (one for one in session.events[:first] if not isinstance(one, System))
    large = sum(count.many([*event_texts(*talk)]))
    small = max(sum(count.many([one.summary, *one.kept])) for one in session.compactions)
    with (
        open_loom_window(session, folder / "large", max(large, LEAST), count) as one,
        open_loom_window(session, folder / "small", max(small, LEAST), count) as two,
    ):
        made = tuple(_feed_and_compare(session, (one, two), prices))
        bills = [(0, client_bill(requests)), *((each.room, each.bill) for each in (one, two))]
    told = (SentInput(room, it.calls, it.sent, round(it.cost(prices), 6)) for room, it in bills)
    return made, tuple(told)


def _feed_and_compare(
    session: Session, windows: tuple[LoomWindow, ...], prices: Prices
) -> Iterator[CompactionLoss]:
    """Feed the whole session to the Loom windows. Yield what the client lost at each compaction."""
    events, count, calls = session.events, counter_for(), calls_of(session)
    known, gone, fed, begun = list[Fact](), set[tuple[str, str]](), 0, 0
    ends = [*(one.at for one in session.compactions[1:]), len(events)]
    for one, end in zip(session.compactions, ends, strict=True):
        for window in windows:
            window.entries.clear()
            window.feed_events(range(begun, one.at))
        facts = [*known, *collect_facts(windows[0].entries.values())]
        facts.sort(key=lambda fact: fact.at)
        shown = [window.texts() for window in windows]
        before, fed = range(fed, one.at), one.at
        begun = one.at + (one.at < len(events) and is_summary(one, events[one.at]))
        after = range(begun, min(one.at + AHEAD, end))
        said = rules_and_checks(facts, windows[0].came_at)
        used = [it for it in said if it.at in before or (it.kind, it.names) not in gone]
        used += files_and_ids_used_again(events, before, after, calls)
        stood = ShownBefore([call for call in calls if call.at in before], one.kept)
        summary = HeldTexts((one.summary, *one.kept))
        # What a summary left out cannot be told of one that is not in the recording.
        held = {it: it.is_held_in(summary) for it in used if one.summary}
        later = [call for call in calls if call.at in after]
        by = {call.place: call_text(call) for call in later}
        back = list_went_back(session, later, stood, prices, count, shown)
        yield CompactionLoss(
            events[min(one.at, len(events) - 1)].index, one.when, one.before, one.after,
            one.wrote or count(one.summary),
            round(tally_compactions((one,), count).cost(prices), 6), _minutes_waited(session, one),
            tuple(
                LostThing(
                    it.kind, it.told, events[it.at].index, holds,
                    tuple(seen.place_of(it.stands_in, it.written) for seen in shown),
                    events[it.needed].index if it.needed >= 0 else NEVER,
                    events[it.shown].index if it.shown >= 0 else NEVER,
                    by.get(it.shown, ""),
                )
                for it, holds in held.items()
            ),
            tuple(back),
        )  # fmt: skip
        gone |= {(it.kind, it.names) for it, holds in held.items() if not holds}
        known = facts
    for window in windows:
        window.feed_events(range(begun, len(events)))


def _minutes_waited(session: Session, one: ClientCompaction) -> float:
    """Return the minutes between the last message before an automatic compaction and its summary.
    Return 0.0 for any other compaction, or if no times are recorded."""
    began = session.times[one.at - 1] if session.times and one.at else 0
    later = session.times[one.at : one.at + 1] if session.times else ()
    until = min([one.when, *filter(None, later)])
    waited = one.trigger == AUTO and began and until
    return round(max(until - began, 0) / 60_000, 2) if waited else 0.0
