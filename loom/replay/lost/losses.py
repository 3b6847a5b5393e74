"""A recorded session and its client's compactions: what was lost at each, and what that cost.

Theory of operation. The session is fed to two windows of Loom's, without the client's own
summaries: one as large as what the client held at its first compaction, and one as small as what
its summaries left, both counted as Loom counts. At a compaction the things in use are the rules
said until then, the checks that fail, and the files and ids that the next messages use again. Each
thing is looked for in the summary and the texts kept beside it (in doubt they hold the thing), then
in the next request of each of Loom's windows, and in the pages and entries that request names."""

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
    """A thing in use at a compaction: its kind, its description (`told`), the message it came from,
    whether the client's summary or kept texts `held` it, and where each of Loom's windows would
    have had it (`loom`).

    A call of message `needed` used the thing again, after message `shown` had brought it back;
    NEVER for none. `by` is the call that brought it back, "" for the user."""

    kind: str
    told: str
    message: int
    held: bool
    loom: tuple[str, ...]
    needed: int = NEVER
    shown: int = NEVER
    by: str = ""


class CompactionLoss(Struct, frozen=True):
    """One compaction: its message, its time, the tokens of the request before and after and of the
    summary, what writing the summary took in dollars and minutes (0 where not recorded), the things
    in use, and what the session went back for."""

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
        """The things that neither the summary nor the texts kept beside it contain."""
        return tuple(one for one in self.things if not one.held)


class SentInput(Struct, frozen=True):
    """The sum of all requests of a session with a window of `room` tokens (0: the client's own):
    their number, tokens and dollars."""

    room: int
    requests: int
    sent: int
    dollars: float


class SessionLoss(Struct, frozen=True):
    """A session (name, first words, project, time of its beginning), its compactions, the times of
    its messages, and its requests by what fills them.

    `inputs` are of the client and of Loom's windows, without instructions and tools, which no
    recording has. `whole`: the recording has the texts that the client kept beside a summary;
    `recording` says what of it could not be read. Texts are as recorded: secrets must be replaced
    before they are shortened."""

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
    """Return what a session lost at each compaction. Two Loom windows are made in `folder` for
    comparison, none for a session without a compaction. Raises the errors of feeding the session.
    """
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
    """Return the client that compacted a session, known by the recording's format, its marks or its
    summaries; "" if unknown."""
    told = (session.shape, *(one.trigger for one in session.compactions))
    named = [CLIENTS[one] for one in told if one in CLIENTS]
    for begins, name in BEGINNINGS.items():
        named += [name for one in session.compactions if one.summary.startswith(begins)]
    return (*named, "")[0]


def first_words(events: Iterable[Event]) -> str:
    """Return the beginning of the first message that a user typed."""
    said = (
        typed_text(one.text) for one in events if isinstance(one, User) and one.kind != "summary"
    )
    return escape_invisible(one_line(next((one for one in said if one.strip()), ""), TITLE))


def _compaction_losses(
    session: Session, folder: Path, prices: Prices, requests: Sequence[RequestBands]
) -> tuple[tuple[CompactionLoss, ...], tuple[SentInput, ...]]:
    """Return (the losses at each compaction, the inputs of the client and of Loom's windows)."""
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
    """Feed a whole session to Loom's windows, and yield what the client lost at each compaction."""
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
    """Return the minutes from the last message before a compaction to its summary; 0 when the user
    asked for the compaction, or no times are recorded."""
    began = session.times[one.at - 1] if session.times and one.at else 0
    later = session.times[one.at : one.at + 1] if session.times else ()
    until = min([one.when, *filter(None, later)])
    waited = one.trigger == AUTO and began and until
    return round(max(until - began, 0) / 60_000, 2) if waited else 0.0
