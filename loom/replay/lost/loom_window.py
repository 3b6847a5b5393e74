"""A Loom window that a recorded session is fed to. It is compared with the client's window."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec.structs import replace

import loom
from loom.compress.prefix import common_front, common_front_tokens
from loom.errors import LoomError
from loom.inputs import Reply, Result, Session, System, ToolCall, User
from loom.opening import open_context
from loom.providers.counts import MessageSizes
from loom.providers.counts.counter import Counter
from loom.providers.render.message import CallBlock, Message, ResultBlock, TextBlock
from loom.reduce.client_notes import SKILL_CALLS
from loom.replay.cost import Bill
from loom.replay.feed import RecordedClock, feed
from loom.replay.lost.calls import compared_lines
from loom.replay.lost.held_texts import HeldTexts
from loom.session.turn import Turn
from loom_partitions.message import Step, UserTurn

REPLY = 4_000  # tokens of the window that are kept for a reply
NAME = re.compile(r"\b(?:outputs|working)/[\w.-]*\w|\b[a-z]+_\d{4,}\b")
IN_VIEW, ONE_CALL, SEARCH, GONE = "in view", "one call away", "a search away", "gone"
PLACES = (IN_VIEW, ONE_CALL, SEARCH, GONE)


class WindowTexts:
    """The texts that a model could reach from one request: texts in the request, pages and entries
    that the request names ("one call away"), and texts found by a search. The object is valid until
    more events are fed to the window."""

    def __init__(self, turn: Turn, ctx: loom.Context, known: dict[str, str]) -> None:
        shown = [*_texts_of_messages(turn.messages)]
        near = [*_texts_behind_names(ctx, shown, known)]
        self._ctx, self._view, self._near = ctx, HeldTexts(shown), HeldTexts(near)
        self._known, self._lines = known, [compared_lines(shown), compared_lines(near)]

    def place_of(self, stands: Callable[[HeldTexts], bool], query: str) -> str:
        """Return the nearest place where `stands(texts)` returns True: "in view", "one call away",
        "a search away" or "gone". `query` is the text to search for."""
        if stands(self._view):
            return IN_VIEW
        if stands(self._near):
            return ONE_CALL
        return SEARCH if stands(HeldTexts(self._search_texts(query))) else GONE

    def place_of_lines(self, lines: frozenset[str], need: int, query: str) -> str:
        """Return the nearest place up to which at least `need` of the lines are found: "in view",
        "one call away", "a search away" or "gone". `query` is the text to search for."""
        has = frozenset[str]()
        for place, more in zip(PLACES, self._lines, strict=False):
            has |= lines & more
            if len(has) >= need:
                return place
        has |= lines & compared_lines(self._search_texts(query))
        return SEARCH if len(has) >= need else GONE

    def _search_texts(self, query: str) -> list[str]:
        """Return as texts the passages that a search finds, and the pages and entries that the
        passages name."""
        passages = self._ctx.recall(query)
        return [passages, *_texts_behind_names(self._ctx, (passages,), self._known)]


class LoomWindow:
    """A Loom window that is fed a recorded session, with `room` tokens for the conversation.
    `entries` maps entry ids to the entries as they first came in, `came_at` to event indexes.
    `bill` has the token sums of the requests."""

    def __init__(
        self, ctx: loom.Context, session: Session, now: RecordedClock, room: int, count: Counter
    ) -> None:
        self.room, self.bill, self.entries = room, Bill(), dict[int, Step | UserTurn]()
        self.came_at: dict[int, int] = {}
        self._known: dict[str, str] = {}  # texts that were asked for, by name
        self._ctx, self._session, self._now, self._sizes = ctx, session, now, MessageSizes(count)
        self._turn: Turn | None = None

    def feed_events(self, places: range) -> None:
        """Feed the events with the indexes `places`, with a request before each reply."""
        ctx, calls = self._ctx, tuple[ToolCall, ...]()
        for number in places:
            event = self._session.events[number]
            # The body of a skill follows the result of the call as a turn of the user.
            skill = isinstance(event, User) and any(one.name in SKILL_CALLS for one in calls)
            calls = calls if isinstance(event, Result) else ()
            if isinstance(event, Reply):
                self._make_request()
                calls = event.calls
            self._now.reach(number)
            feed(ctx, event)
            stream = reversed(ctx.window.history.stream)
            newest = next((one for one in stream if isinstance(one, Step | UserTurn)), None)
            made = isinstance(event, Result) and event.index < 0  # none was recorded
            if newest is not None and not made and not skill:
                self.came_at.setdefault(newest.id, number)
                self.entries[newest.id] = newest

    def texts(self) -> WindowTexts:
        """Make the next request. Return the texts that it shows or names."""
        return WindowTexts(self._ctx.turn(), self._ctx, self._known)

    def _make_request(self) -> None:
        """Make the next request and add its tokens to `bill`."""
        last, self._turn = self._turn, self._ctx.turn()
        front = common_front(last.messages if last else (), self._turn.messages)
        reused = common_front_tokens(self._ctx.window, front, self._sizes) if last else 0
        tokens = self._turn.pressure.tokens
        sent, reused = tokens.total - tokens.system, max(reused - tokens.system, 0)
        self.bill.add(Bill(1, sent, min(reused, sent), peak=sent))


@contextmanager
def open_loom_window(
    session: Session, folder: Path, room: int, count: Counter
) -> Iterator[LoomWindow]:
    """Return a context manager that opens a Loom window in `folder` and closes it at the end. The
    window has `room` tokens for the conversation, and space for the session's instructions."""
    fixed = [one.text for one in session.events if isinstance(one, System)]
    head = sum(count.many(fixed))
    policy, now = replace(loom.Policy(), own_tools=False), RecordedClock(session)
    with open_context(
        folder, window=head + room + REPLY, reply=REPLY, policy=policy, durable=False, clock=now
    ) as ctx:
        yield LoomWindow(ctx, session, now, room, count)


def _texts_of_messages(messages: Iterable[Message]) -> Iterator[str]:
    """Yield the texts in the messages of a request: plain texts, call arguments, tool results."""
    for message in messages:
        for block in message.blocks:
            if isinstance(block, CallBlock):
                yield block.arguments
            elif isinstance(block, TextBlock | ResultBlock):
                yield block.text


def _texts_behind_names(
    ctx: loom.Context, shown: Iterable[str], known: dict[str, str]
) -> Iterator[str]:
    """Yield the text of each page or entry that the texts `shown` name. `known` caches texts by
    name, without drafts in working/, which change."""
    for name in sorted({name for text in shown for name in NAME.findall(text)}):
        if name in known:
            yield known[name]
            continue
        with suppress(LoomError):
            text = ctx.page_in(name).text
            known |= {} if name.startswith("working/") else {name: text}
            yield text
