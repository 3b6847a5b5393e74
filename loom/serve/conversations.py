"""The conversations of a proxy, each with a workspace that is opened when a request needs it.

A client's instructions and tools are no part of a context; its window is smaller by them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from threading import RLock
from typing import Any

from httpx2 import HTTPStatusError
from msgspec.structs import replace

import loom
from loom.adapters.sessions import folder_of
from loom.context.changes import compress_after_refusal
from loom.context.inputs import usage_records
from loom.context.size_reports import is_input_cut
from loom.errors import BadInput
from loom.home import record_project
from loom.live import Context
from loom.policy import Policy
from loom.providers.formats import format_of
from loom.providers.formats.anthropic import hour_cache_tokens as hourly_of
from loom.providers.formats.wire import Wire, content_text
from loom.providers.overflow import Overflow, read_overflow
from loom.serve.bodies import model_counter
from loom.serve.chains import ListChains, comparable_message
from loom.serve.conversation_owners import ConversationOwner
from loom.serve.dialects import SMALL, WireApi, declared_tools, tool_names, with_question
from loom.serve.recent_table import RecentTable
from loom.serve.request_purpose import ListedRequest, Purpose
from loom.serve.served_notices import CUT, EDITED, REPEATED, ServedNotices
from loom.serve.spliced_replies import SplicedReplies, is_same_beginning, reply_key
from loom.session.turn import Turn
from loom_partitions.records import Beside

OPEN = 64  # workspaces open at a time; the one not asked for longest is closed
OWN = ("page_in", "recall")  # tools answered here
ROOMY = 4  # times a client's part: in a window advised it takes a quarter (judgement)
ROUNDED = 1_024  # tokens the fixed part is rounded up to: a window is not resized for a few
USAGE = "usage"  # the member of a reply, in each wire API
NAMES = "chains.jsonl"
IDS = 4_096  # of replies that are known
REWINDS = 3  # requests in a row: one or two are a user who goes back


def check_window_is_enough(fixed: int, window: int) -> None:
    """Raise BadInput if the client's instructions and tools, which take `fixed` tokens, are more
    than half of the `window`."""
    if 2 * fixed > window:
        most = _round_up(ROOMY * fixed)
        raise BadInput(
            f"this client's instructions and tools take {fixed:,} tokens of each request, more than"
            f" half of a window of {window:,}. Start `loom serve --window {most}` ({most - fixed:,}"
            " of it for what is said and done, and the reply), or give the client fewer tools",
            SMALL,
        )


class ServedConversation:
    """One conversation: its context, and the replies that its client was shown in another form.

    `fixed` is how many tokens the client's instructions and tools take in each request."""

    def __init__(
        self,
        name: str,
        owner: ConversationOwner,
        ctx: Context,
        folder: Path,
        fixed: int,
        window: int,
        notices: ServedNotices,
    ) -> None:
        self.name, self.owner = name, owner
        self._notices = notices
        self.ctx = ctx
        self.lock = asyncio.Lock()  # one list at a time
        self.has_tools = False
        self.revision = 0  # rises with each request
        self.used = 0  # requests that have not ended
        self._fixed, self._window = fixed, window
        self._list: list[Wire] = []  # as it was taken in last
        self._whole: list[Wire] = []  # what the client asked last to sum up is a head of it
        self._summing = False  # it asked so last, and puts the summary in the place of messages
        self._spliced = SplicedReplies(folder)
        self._ids = RecentTable[str, None](IDS)  # of replies that were given
        self._rewinds = 0  # requests in a row that took back most of what stood

    def next(self, asked: ListedRequest, fixed: int) -> Wire:
        """Take in a request's messages; return the body to send. Raises as `Context.sync` does."""
        self.revision += 1
        self.has_tools |= bool(declared_tools(asked.body))
        if asked.kind is Purpose.MAIN:
            check_window_is_enough(fixed, self._window)
            if (left := _round_up(fixed)) != self._fixed:
                self.ctx.resize(self._window - left)
                self._fixed = left
        asks = asked.question and model_counter(asked.body)(
            content_text(asked.question.get("content"))
        )
        beside, engine = Beside(fixed + (asks or 0), self._fixed), self.ctx._engine
        with engine.lock, engine.atomic:  # what the client sends beside the window
            if beside != Beside(engine.window.sent.beside, engine.window.sent.held):
                engine.commit(beside)
        self.ctx._list.model = str(asked.body.get("model") or "")  # whose replies it lists
        return self.request(asked, self._turn_for_list(asked))

    def own_id(self, id: str) -> str:
        """Return the id that the client is shown for a reply: `id`, or a new id if an earlier reply
        of this conversation had it. (Claude Code joins replies with the same id into one message.)
        """
        made = id
        if id in self._ids:
            # A joined message would stand near the list's beginning and grow with each request.
            made = f"{id}_{token_hex(6)}"
            self._tell("ids", REPEATED)
        self._ids.seen(made, None)
        return made

    def _tell(self, kind: str, text: str) -> None:
        """Add a notice about this conversation, for its owner."""
        self._notices.tell(self.owner.person, self.name, kind, text)

    def request(self, asked: ListedRequest, turn: Turn) -> Wire:
        """Return a turn as a body for the provider, with a client's question for a summary last."""
        api, body = asked.api, asked.body
        model = body.get("model")  # what it demands of a reply holds from the first on
        more: Wire = {"model": model} if isinstance(model, str) and model else {}
        request = turn.request(api.format, **more)
        if asked.question is not None:
            request[api.key] = with_question(request[api.key], asked.question)
        made = api.join(body, asked.taken, request)
        # With a summary too: tools lead what the provider's cache holds.
        if may_offer_own_tools(body):
            made["tools"] = [*body["tools"], *self.ctx.tools.schemas(api.format)]
        return made

    def _turn_for_list(self, asked: ListedRequest) -> Turn:
        """Take a request's message list into the context, and return the turn to send."""
        items, before = self._spliced.with_model_replies(asked.items), self._list
        shorter = len(items) < len(before)
        if asked.kind is Purpose.SUMMARY:
            # A client may keep the newest, and leave them out of what is to be summed up.
            self._whole = before if shorter else []
        elif self._whole:
            left = {*map(reply_key, self._whole[len(before) :])} - {""}
            if not left.isdisjoint(map(reply_key, items)):
                self.ctx.sync(self._whole, asked.api.format)
            self._whole = []
        # Of a short list it lists more than it had: files it reads again, notes of its own.
        summed = self._summing and (
            shorter or comparable_message(items[:1]) != comparable_message(before[:1])
        )
        summed = summed and not is_same_beginning(before, items)
        index = self.ctx._engine.workspace.index
        first, undone = self._next_entry_id(), len(index.undone)
        turn = self.ctx.sync(items, asked.api.format, compacted=summed or None)
        self._list, self._summing = items, asked.kind is Purpose.SUMMARY
        entries = self.ctx.window.history.stream.entries if len(index.undone) > undone else ()
        most = 2 * (self._next_entry_id() - first) >= sum(1 for _ in entries) > 0
        self._rewinds = self._rewinds + 1 if most else 0
        if self._rewinds >= REWINDS:
            self._tell("edits", EDITED)
        return turn

    def _next_entry_id(self) -> int:
        """Return the id that the next entry will have."""
        return self.ctx.window.history.next_id

    def metered(self, dialect: WireApi, reply: Wire, *, summed: bool = False) -> None:
        """Record the request size that a reply reports, less the client's instructions and tools.
        For a request for a summary (`summed`), record only the whole size."""
        told = format_of(dialect.format).decode(reply)
        own = 0 if summed else max(told.prompt_tokens - self._fixed, 0)
        if own and is_input_cut(self.ctx.window, own):
            self._tell("cut", CUT.format(told.prompt_tokens))
        engine = self.ctx._engine
        with engine.lock, engine.atomic:
            engine.commit(
                *usage_records(engine, own, told.model, told.prompt_tokens, hourly_of(reply))
            )

    def overflowed(self, refused: HTTPStatusError) -> None:
        """Cut the window after a refusal as too long, by the stated sizes less the client's
        instructions and tools. Raises as `Context.overflowed` does."""
        said = read_overflow(refused)
        if said is None:
            self.ctx.overflowed(refused)  # raised again: it was answered with an error, not counted
            raise refused
        limit, size = (
            max(told - self._fixed, 1) if told else 0 for told in (said.limit, said.size)
        )
        compress_after_refusal(self.ctx._engine, Overflow(limit, size, said.media), refused)

    def replied(self, dialect: WireApi, reply: Wire) -> None:
        """Record a reply, and answer its calls of Loom's tools. Raises as `Context.reply` does."""
        self.metered(dialect, reply)
        # Its usage is of the whole request, the client's part too: it is taken in already.
        self.ctx.reply({key: one for key, one in reply.items() if key != USAGE})

    def note_spliced(self, given: Wire, last: Wire | None) -> None:
        """Note that the client lists `given` where the model made the reply `last`. If `last` is
        None, `given` is dropped from lists."""
        self._spliced.add(given, last, self.ctx._engine.redactor)


def may_offer_own_tools(body: Wire) -> bool:
    """Return True if Loom's own tools may be added to a request: its client declares tools, and
    none with a name like Loom's."""
    names = tool_names(body)
    return bool(names) and not any(name.endswith(OWN) for name in names)


class ServedConversations:
    """The conversations below one folder. `project` is the client's working folder, "" if unknown.
    `opening` are further arguments for `loom.open`."""

    def __init__(
        self, folder: Path, window: int, policy: Policy, project: str = "", **opening: Any
    ) -> None:
        self.folder, self.window, self._project = folder, window, project
        self._policy, self._opening = policy, opening
        self._open: OrderedDict[str, ServedConversation] = OrderedDict()
        self._lock = RLock()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.chains = ListChains(folder / NAMES)
        self.notices = ServedNotices()

    @contextmanager
    def of(
        self, name: str, owner: ConversationOwner, fixed: int, has_tools: bool
    ) -> Iterator[ServedConversation]:
        """Yield the conversation `name` (unique among all owners), kept open while the block runs.
        A conversation that must be opened gets Loom's own tools if `has_tools` is True. Raises
        BadInput, and all that `loom.open` raises."""
        with self._lock:
            held = self._open.get(name)
            if held is None:
                check_window_is_enough(fixed, self.window)
                held = self._open[name] = self._open_conversation(
                    name, owner, _round_up(fixed), has_tools
                )
            self._open.move_to_end(name)
            held.used += 1
        try:
            yield held
        finally:
            with self._lock:
                held.used -= 1
                self._close_idle()

    def has_client_tools(self, name: str) -> bool:
        """Return True if a conversation is open and a request of it declared tools."""
        held = self._open.get(name)
        return held is not None and held.has_tools

    def _open_conversation(
        self, name: str, owner: ConversationOwner, fixed: int, has_tools: bool
    ) -> ServedConversation:
        """Open a conversation's workspace and return the conversation. Its window is smaller by
        `fixed`, the tokens of the client's instructions and tools."""
        folder = self.folder / folder_of(name)
        policy = self._policy if has_tools else replace(self._policy, own_tools=False)
        ctx = loom.open(folder, window=self.window - fixed, policy=policy, **self._opening)
        if self._project and owner.own:
            record_project(folder, self._project)
        return ServedConversation(name, owner, ctx, folder, fixed, self.window, self.notices)

    def _close_idle(self) -> None:
        """Close the conversations that were unused for longest, until at most `OPEN` are open."""
        idle = [name for name, one in self._open.items() if not one.used]
        for name in idle[: max(len(self._open) - OPEN, 0)]:
            self._open.pop(name).ctx.close()

    def close(self) -> None:
        """Close all conversations."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].ctx.close()

    def count_open(self, owner: ConversationOwner) -> int:
        """Return how many open conversations belong to the same person as `owner`."""
        with self._lock:
            return sum(one.owner.person == owner.person for one in self._open.values())


def _round_up(tokens: int) -> int:
    """Return a number of tokens rounded up to a multiple of `ROUNDED`."""
    return -(-tokens // ROUNDED) * ROUNDED
