"""The loop a host drives: one workspace, one window, one turn after another."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar, overload

from loom.context.history import Archive, recall_passages
from loom.context.open_calls import give_up_open_calls
from loom.context.results import HostCalls
from loom.context.tools import DeclaredTools
from loom.context.working import WorkingSurfaces
from loom.lazy import lazy_modules
from loom.session import Engine
from loom.session.head import put_text
from loom.session.locking import one_call
from loom.session.moments import Executed
from loom.session.turn import Turn, with_cache_lifetime
from loom.typed import check_arguments
from loom_paging import Slice
from loom_partitions.message import Call, Step
from loom_partitions.window import Window

if TYPE_CHECKING:
    from loom.context import changes, inputs, pins
    from loom.context.synced.sync import HostListSync
    from loom.inputs import ToolCall
    from loom.reduce.summary.judge import Summarized
    from loom.session.pressure import Pressure
else:
    lazy_modules("loom.context", "changes inputs pins", globals())

StreamChunk = TypeVar("StreamChunk")
RECALL_CHARS = 4_000


@check_arguments
class Loop:
    """`loom.Context` without the attributes that capabilities add to it.

    >>> with loom.open("memory://loop") as ctx:
    ...     ctx.user("Hello."), ctx.turn().request("openai")["messages"][-1]["role"], ctx.done
    ('user_0001', 'user', False)"""

    def __init__(self, engine: Engine, executed: Callable[[Call], Executed]) -> None:
        self._engine = engine
        self._calls = HostCalls(engine, executed)
        self.working = WorkingSurfaces(engine)
        self.tools = DeclaredTools(engine)
        self.history = Archive(engine)

    def __repr__(self) -> str:
        return f"<loom.Context turn {self.window.sent.turn}: {self.pressure}>"

    @cached_property
    def _list(self) -> HostListSync:
        """The object that takes in the host's own list of messages, made at the first use."""
        from loom.context.synced.sync import HostListSync

        return HostListSync(self._engine, self._calls)

    # What comes in

    def system(self, text: str, key: str = "instructions") -> None:
        """Put instructions into the window under a key, in place of an earlier text under this key.
        A no-op when unchanged. Keys that begin with "example" have a part of the window of their
        own. Raises OverCapacity, with nothing stored, when the text leaves no room for a history or
        exceeds its part of the window."""
        put_text(self._engine, "system", key, text)

    def user(self, content: object, kind: str = "", *, key: str = "") -> str:
        """Add a message of the user: a text, or a list of texts, images and documents in order.
        Return the name of its first entry ("user_0007"), which `pin` accepts. With a `key` the call
        is safe to repeat after a crash: nothing is added if a message with this key exists.

        An image or document is given as bytes, the path of a file, or a part of a request in any
        provider's format. Each becomes an entry of its own, with a line that names its page.
        Attachments beyond the size that one text may have stand in the window only as lines. `kind`
        says whose words the message holds: "" the user's, "observation" a tool's result (it is
        quoted), "summary" a summary of earlier messages, "instructions" the host's. Raises BadInput
        for None, another `kind`, and values JSON cannot hold."""
        return inputs.take_user_message(self._engine, content, kind, key)

    @one_call
    def reply(self, reply: object) -> None:
        """Take in the model's reply: an SDK object or dict of any known provider, or a
        `loom.Reply`. Loom answers calls of its own tools at once. Raises BadInput for anything
        else, OpenCalls while results of the last reply are missing, BudgetSpent for a child agent
        without steps left."""
        engine = self._engine
        records, given = inputs.reply_records(engine, reply)
        engine.commit(*records)
        self._calls.reply = given

    @overload
    def collect(
        self, stream: AsyncIterable[StreamChunk], *, reasoning: bool = ...
    ) -> AsyncIterator[StreamChunk]: ...
    @overload
    def collect(
        self, stream: Iterable[StreamChunk], *, reasoning: bool = ...
    ) -> Iterator[StreamChunk]: ...

    def collect(
        self, stream: Iterable[StreamChunk] | AsyncIterable[StreamChunk], *, reasoning: bool = False
    ) -> Iterator[StreamChunk] | AsyncIterator[StreamChunk]:
        """Return an iterator over a provider's stream, and take in the reply when the stream has
        ended.

        Reasoning between tags is passed on only with `reasoning=True`. If you stop early or the
        stream raises, nothing is recorded: send the same request again. Raises BrokenStream when
        the stream reports a failure or ends before its reply is complete, and all that `reply`
        raises."""
        return inputs.passed_stream_chunks(self._engine, stream, self.reply, reasoning)

    @one_call
    def metered(self, prompt_tokens: int, model: str = "") -> None:
        """Tell Loom how many tokens the provider counted for the last request, cached tokens
        included. Needed only if `reply` is not given the provider's own object, which holds this
        number."""
        engine = self._engine
        engine.commit(*inputs.usage_records(engine, prompt_tokens, model))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that the host must run and give results for. Their arguments are exactly as the
        model wrote them.

        A call made through `call_tool` is shown as a call of the tool that it names. After a
        reopen, a call whose arguments held a secret is left out: Loom answers it with an error that
        tells the model to make the call again."""
        return self._calls.waiting()

    def result(self, call: Call | ToolCall | str, value: object, *, error: bool = False) -> None:
        """Give the result of an open call: a text, bytes, or any value JSON can hold. `call` is the
        call or its id. `error=True` says that the call failed. The result of a call that was given
        up becomes an entry of its own. Raises BadInput, with nothing stored, for an unknown or
        answered call, and for a value JSON cannot hold."""
        self._calls.result(call, value, bool(error))

    def run(self, call: Call | ToolCall | str) -> object:
        """Run an open call by the toolbox, take in its result, and return the value the tool gave.

        If the tool refuses or raises, the exception is returned and its text becomes the call's
        result, marked as an error. Raises NoRunner for a tool that the host must run itself or did
        not declare. Raises BadInput when no such call is open, when JSON cannot hold the value, and
        when the call was answered while the tool ran (the tool's value is dropped)."""
        return self._calls.run(call)

    @one_call
    def abandon(self, why: str = "interrupted") -> None:
        """Answer every open call with an error result that says `why`. A real result that comes
        later becomes an entry of its own. A no-op without open calls."""
        give_up_open_calls(self._engine, why)

    def answer(self, id: str, text: object) -> Summarized:
        """Give Loom a summary that it asked for: `Turn.asks` holds the text to sum up, and the
        `id`.

        Return the judgement. An accepted summary is in the window from the next cut on. A summary
        that names things which its source does not name is refused, and Loom's own extract is used.
        Raises LoomError when no summary is asked for under this id."""
        return changes.take_summary(self._engine, id, text)

    def overflowed(self, error: BaseException) -> None:
        """Compress the window after a provider's error "too long": the next `turn()` is smaller.
        Raises OverCapacity at the second such error in a row, and any other `error` again."""
        changes.compress_after_error(self._engine, error)

    def resize(self, window: int, reply: int | None = None, model: str | None = None) -> None:
        """Change the window's size, the tokens kept free for a `reply`, or the model. None leaves a
        value unchanged. What no longer fits is compressed at once or, while calls are open, by the
        next turn. Raises OverCapacity, with nothing changed."""
        changes.resize_window(self._engine, window, reply, model)

    def renew(self, history: int | None = None) -> None:
        """Save a snapshot and begin a fresh window now, with at most `history` tokens of history.
        None allows as many as fit below low water. Raises OpenCalls, OverCapacity, BadInput, with
        nothing done."""
        changes.renew_window(self._engine, history)

    def finish(self, outcome: str) -> None:
        """End the task with its `outcome`: a snapshot is saved, then C_working is cleared. Raises
        OpenCalls."""
        changes.finish_task(self._engine, outcome)

    # What goes out

    def look(self) -> None:
        """Let capabilities look now, as they do before each turn, for events, changed project files
        and news of other agents. Raises Closed, or StoreReplaced in a child process."""
        changes.look_at_world(self._engine, self)

    def turn(self) -> Turn:
        """Return the next request, which fits the window. Repeated calls return the same request
        until something new is taken in. Calls that an earlier process left open are given up.
        Raises OpenCalls, OverCapacity, BadInput, and BudgetSpent for a child agent out of steps or
        time."""
        return changes.make_request(self._engine, self)

    def sync(
        self,
        messages: object,
        format: str = "openai",
        *,
        system: object = None,
        compacted: bool | None = None,
    ) -> Turn:
        """Take in a host's whole list of messages, in a provider `format`, and return the next
        request.

        Give the whole list each time. Each new message is taken in by one commit. If the list was
        edited or cut short, the messages that followed are undone. If the client put a summary in
        the place of messages, the window is renewed; the old messages can still be recalled.
        `compacted` says what the client did: True a summary, False an edit, None unknown.
        Instructions are `system` and the system messages at the list's beginning. Raises BadInput,
        with nothing changed, and all that `turn` raises."""
        lasting = self._list.take(messages, format, system, compacted)
        return with_cache_lifetime(self.turn(), lasting)

    @property
    def done(self) -> bool:
        """True once the model has replied without calls, or `finish` was called. A reply cut off at
        its token limit does not count; a withheld or empty reply does."""
        last = next(self.window.history.stream.entries_back, None)
        whole = isinstance(last, Step) and not (last.calls or last.cut or last.paused)
        return self.window.sent.finished or whole

    @property
    def text(self) -> str:
        """The text of the model's last reply; "" before any reply. After a reopen it comes from the
        journal, where secrets are replaced."""
        return inputs.last_reply_text(self._engine, self._calls.reply.said)

    @property
    def window(self) -> Window:
        """The window as it was after the last finished call: an immutable value."""
        return self._engine.workspace.shown

    @property
    def pressure(self) -> Pressure:
        """How full the next request is, as numbers (`loom.Pressure`)."""
        return self._engine.pressure()

    def pin(self, what: int | str) -> None:
        """Keep an entry in full, or a line of text, through all cuts and renewals. `what` is an
        entry's id or name ("step_0007"); any other text is the line. A no-op when already pinned.
        Raises MissingPage for an entry that has left the window (page it in, and pin the new
        entry), LoomError for an entry that waits for results, OverCapacity when pins take too much.
        """
        pins.pin_entry_or_line(self._engine, what)

    def unpin(self, what: int | str) -> None:
        """Unpin an entry (its id or name) or a line. A no-op when it is not pinned."""
        pins.unpin_entry_or_line(self._engine, what)

    @one_call
    def page_in(self, ref: str, **ways: str) -> Slice:
        """Return the text of a page or entry: whole, or the part chosen by the keyword `lines`,
        `grep` or `pointer`. If it shows a file that changed since, `note` of the slice says how.
        Raises MissingPage, CorruptPage, BadInput."""
        from loom.session.archive.page_in_by_name import slice_by_name

        return slice_by_name(self._engine.workspace, ref, None, **ways)[0]

    def recall(self, query: str, chars: int = RECALL_CHARS, *, tokens: int | None = None) -> str:
        """Return one text of at most `chars` characters or, if given, `tokens` tokens: the passages
        that match a query best, each under the name of its page or entry, the names of further
        pages and entries, and matching saved memories. If nothing matches, the text says this."""
        return recall_passages(self._engine, query, chars, tokens)

    def close(self) -> None:
        """Release the workspace. Everything acknowledged is on disk already. Further calls of
        `close` do nothing. In a child process, only the copies of the open files are closed."""
        changes.close_context(self._engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
