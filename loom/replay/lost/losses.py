"""A recorded session and its client's compactions: what was lost at each, and what that cost.

Theory of operation. The session is fed once to a window of Loom's that is as large as what the
client held when it first gave up, counted as Loom counts; the client's own summaries are left out.
At a compaction the things in use are the rules said until then, the checks that fail, and the files
of which the same place was read again. Each is looked for in the summary and what was kept beside
it, in doubt it was held; then, as it is, in Loom's next request, and in the pages and entries that
this names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

import loom
from loom.compress.digest.collect import collected
from loom.errors import LoomError
from loom.inputs import ClientCompaction, Event, Reply, Result, Session, ToolCall, User
from loom.live import Context
from loom.opening import opened
from loom.providers.counts import counter_for
from loom.providers.prices import Prices
from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock
from loom.reduce.aliases import READ
from loom.reduce.notes import SKILL_CALLS, typed
from loom.replay.cost import tallied
from loom.replay.feed import RecordedClock, feed
from loom.replay.importers.facts import texts
from loom.replay.lost.again import GONE, Stood, WentBack, behind, went_back
from loom.replay.lost.calls import calls_of, lines_of
from loom.replay.lost.things import HeldTexts, named, said_before
from loom.text import one_line, visible
from loom_partitions.message import Fact, Step, UserTurn

REPLY = 4_000  # tokens of Loom's window that are kept for a reply
LEAST = 16_000  # tokens of the smallest window that is tried
TITLE = 60
NAME = re.compile(r"\b(?:outputs|working)/[\w.-]*\w|\b[a-z]+_\d{4,}\b")
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
IN_VIEW, ONE_PAGE = "in view", "one call away"


class LostThing(Struct, frozen=True):
    """A thing in use at a compaction: what it is, the message it came from, whether the client's
    summary or what it kept `held` it, where `loom` would have had it, and the message at which a
    call needed it again, -1 for none."""

    kind: str
    told: str
    message: int
    held: bool
    loom: str
    needed: int = -1


class CompactionLoss(Struct, frozen=True):
    """One compaction: where and when, tokens before and after and of the summary, dollars that its
    writing cost, the things in use, and what the session went back for. `window` is Loom's, and
    `loom` the tokens of its next request."""

    message: int
    when: int
    before: int
    after: int
    summary: int
    dollars: float
    window: int
    loom: int
    things: tuple[LostThing, ...] = ()
    back: tuple[WentBack, ...] = ()

    @property
    def lost(self) -> tuple[LostThing, ...]:
        """The things that neither the summary nor what was kept beside it holds."""
        return tuple(one for one in self.things if not one.held)


class SessionLoss(Struct, frozen=True):
    """A session by its first words, its project and when it began, with its compactions, the times
    of its messages, and the (message, tokens) of each request whose size was reported. `whole`: the
    recording has what stood on beside a summary."""

    title: str
    project: str
    when: int
    client: str
    model: str
    prices: Prices
    times: dict[int, int] = {}
    sizes: tuple[tuple[int, int], ...] = ()
    compactions: tuple[CompactionLoss, ...] = ()
    whole: bool = False


def losses(session: Session, folder: Path, prices: Prices) -> SessionLoss:
    """What was lost at each compaction of a session. `folder` is where Loom's window of it is made;
    without a compaction none is made. Raises what feeding the session raises."""
    events = session.events
    times = {one.index: at for one, at in zip(events, session.times, strict=False) if at}
    sized = [one for one in events if isinstance(one, Reply) and one.prompt_tokens]
    made = tuple(_compactions(session, folder, prices)) if session.compactions else ()
    return SessionLoss(
        title=titled(events),
        project=re.split(r"[/\\]", session.project.rstrip("/\\"))[-1],
        when=next(iter(times.values()), 0),
        client=_client(session),
        model=session.model,
        prices=prices,
        times=times,
        sizes=tuple((one.index, one.prompt_tokens) for one in sized),
        compactions=made,
        whole=session.shape in RECORDED,
    )


def _client(session: Session) -> str:
    """Who compacted a session, by its shape, its marks or its summaries; "" where none says."""
    told = (session.shape, *(one.trigger for one in session.compactions))
    named = [CLIENTS[one] for one in told if one in CLIENTS]
    for begins, name in BEGINNINGS.items():
        named += [name for one in session.compactions if one.summary.startswith(begins)]
    return (*named, "")[0]


def titled(events: Iterable[Event]) -> str:
    """The first words that a user typed."""
    said = (typed(one.text) for one in events if isinstance(one, User) and one.kind != "summary")
    return visible(one_line(next((one for one in said if one.strip()), ""), TITLE))


def _compactions(session: Session, folder: Path, prices: Prices) -> Iterator[CompactionLoss]:
    events, count, calls = session.events, counter_for(), calls_of(session)
    first = session.compactions[0].at
    stood = sum(count.many([*texts(*events[:first])]))
    room = max(stood, LEAST)
    policy = replace(loom.Policy(), own_tools=False)
    now, known, gone, fed = RecordedClock(session), list[Fact](), set[tuple[str, str]](), 0
    came_at: dict[int, int] = {}  # the event an entry came from
    with opened(
        folder, window=room + REPLY, reply=REPLY, policy=policy, durable=False, clock=now
    ) as ctx:
        for one in session.compactions:
            entries = _taken(ctx, session, range(fed, one.at), now, came_at)
            facts = sorted([*known, *collected(entries)], key=lambda fact: fact.at)
            turn = ctx.turn()
            shown = _shown(turn.messages)
            view, near = HeldTexts(shown), HeldTexts(_behind(ctx, shown))
            loom_has = {IN_VIEW: lines_of(shown), ONE_PAGE: lines_of(near.texts)}
            begun = one.at + _is_summary(events, one)
            before = [call for call in calls if fed <= call.at < one.at]
            after = [call for call in calls if begun <= call.at < behind(session, one)]
            back = went_back(
                session, after, Stood(before, lines_of(one.kept)), prices, count, loom_has
            )
            said = said_before(facts, came_at)
            used = [it for it in said if it.at >= fed or (it.kind, it.words) not in gone]
            summary = HeldTexts((one.summary, *one.kept))
            # What a summary left out cannot be told of one that is not in the recording.
            held = {it: it.held(summary) for it in used if one.summary}
            things = [
                LostThing(
                    it.kind, it.told, events[it.at].index, holds,
                    IN_VIEW if view.names(it.written) else
                    ONE_PAGE if near.names(it.written) else GONE,
                )
                for it, holds in held.items()
            ]  # fmt: skip
            things += [
                LostThing(
                    "file", f"`{call.what}`", call.before, named(summary, path), call.loom,
                    call.message,
                )
                for (kind, path), call in back.items() if kind == READ and one.summary
            ]  # fmt: skip
            yield CompactionLoss(
                events[min(one.at, len(events) - 1)].index, one.when, one.before, one.after,
                one.wrote or count(one.summary), round(tallied((one,), count).cost(prices), 6),
                room, turn.pressure.tokens.total, tuple(things), tuple(back.values()),
            )  # fmt: skip
            gone |= {(it.kind, it.words) for it, holds in held.items() if not holds}
            known, fed = facts, begun


def _taken(
    ctx: Context, session: Session, places: range, now: RecordedClock, at: dict[int, int]
) -> Collection[Step | UserTurn]:
    """Feed the events of these places, with a request before each reply: the entries they became,
    whole. `at` gets the event that each came from."""
    entries: dict[int, Step | UserTurn] = {}
    calls: Sequence[ToolCall] = ()
    for number in places:
        event = session.events[number]
        # The body of a skill follows the result of the call as a turn of the user.
        skill = isinstance(event, User) and any(one.name in SKILL_CALLS for one in calls)
        calls = calls if isinstance(event, Result) else ()
        if isinstance(event, Reply):
            ctx.turn()
            calls = event.calls
        now.reach(number)
        feed(ctx, event)
        stream = reversed(ctx.window.history.stream)
        newest = next((one for one in stream if isinstance(one, Step | UserTurn)), None)
        made = isinstance(event, Result) and event.index < 0  # none was recorded
        if newest is not None and not made and not skill:
            at.setdefault(newest.id, number)
            entries[newest.id] = newest
    return entries.values()


def _is_summary(events: Sequence[Event], one: ClientCompaction) -> bool:
    """True where the event at the place of a compaction is the summary that was written."""
    event = events[one.at] if one.at < len(events) else None
    return isinstance(event, User) and bool(one.summary) and event.text == one.summary


def _shown(messages: Iterable[Message]) -> list[str]:
    """The texts of a request as a model reads them."""
    return [
        block.arguments if isinstance(block, CallBlock) else block.text
        for message in messages
        for block in message.blocks
        if isinstance(block, CallBlock | TextBlock | ResultBlock)
    ]


def _behind(ctx: Context, shown: Iterable[str]) -> Iterator[str]:
    """The texts behind the names that some texts show; none behind what only looks like one."""
    for name in sorted({name for text in shown for name in NAME.findall(text)}):
        with suppress(LoomError):
            yield ctx.page_in(name).text
