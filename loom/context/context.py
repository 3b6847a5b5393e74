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
    """The part of `loom.Context` without the namespaces that capabilities add.

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
        """The object that takes in the host's own list of messages; made by the first `sync`."""
        from loom.context.synced.sync import HostListSync

        return HostListSync(self._engine, self._calls)

    # What comes in

    def system(self, text: str, key: str = "instructions") -> None:
        """Put instructions under a key ("instructions", or your own). A no-op when unchanged.

        Raises OverCapacity, with nothing stored, when the text leaves no room for a history, or is
        over its part of the window (keys that begin with "example" have a part of their own)."""
        put_text(self._engine, "system", key, text)

    def user(self, content: object, kind: str = "", *, key: str = "") -> str:
        """Add a message of the user: a text, or a list of texts, images and documents in order.

        Returns the name of its first entry ("user_0007"), as `pin` takes it. With a `key` the call
        is safe to repeat after a crash: a no-op when a message with this key is there already,
        whatever its content.

        Images and documents are bytes, paths of files, or parts of a request as any provider has
        them. Each becomes an entry of its own, with a line that names its page. Together they take
        at most as many tokens as one text may; the rest is kept as such lines only. `kind` says
        whose words a message is that the user did not type: "observation" a tool's result (it is
        quoted), "summary" a summary of earlier messages, "instructions" the host's. Raises BadInput
        for None, another `kind`, and values JSON cannot hold."""
        return inputs.take_user_message(self._engine, content, kind, key)

    @one_call
    def reply(self, reply: object) -> None:
        """Take the model's reply: an SDK object or dict of any known provider, or `loom.Reply`.

        Calls of Loom's own tools in the reply are answered at once. Raises BadInput; OpenCalls
        while results of the last reply are missing; BudgetSpent for a child without steps left."""
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
        """Pass a provider's stream on, chunk by chunk, and take the reply when it has ended.

        Reasoning between tags is passed on only with `reasoning=True`. A stream that you leave
        early, or that raises, leaves no record: send the same turn again. Raises BrokenStream when
        the stream ends before its reply does or reports a failure, and all that `reply` raises."""
        return inputs.passed_stream_chunks(self._engine, stream, self.reply, reasoning)

    @one_call
    def metered(self, prompt_tokens: int, model: str = "") -> None:
        """Tell the size in tokens of the last request as the provider counted it, cached tokens
        included.

        Needed only if `reply` is not given the provider's own object, which holds this number."""
        engine = self._engine
        engine.commit(*inputs.usage_records(engine, prompt_tokens, model))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that the host must run and give results for, their arguments exactly as the
        model wrote them.

        A call made through `call_tool` is shown as the call of the tool it names. After a reopen, a
        call whose arguments held a secret is left out: the journal has no secrets, so Loom answers
        the call with an error that tells the model to make it again."""
        return self._calls.waiting()

    def result(self, call: Call | ToolCall | str, value: object, *, error: bool = False) -> None:
        """Give the result of an open call (or of its id): a text, bytes, or any value JSON can
        hold.

        `error=True` marks a failed call. The result of a call that was given up becomes an entry of
        its own. Raises BadInput, with nothing stored, for an unknown or answered call and for other
        values."""
        self._calls.result(call, value, bool(error))

    def run(self, call: Call | ToolCall | str) -> object:
        """Let the toolbox run an open call, take its result, and return the value the tool gave.

        If the tool refuses or raises, its exception becomes the call's result, an error the model
        can act on, and `run` returns the exception. Raises NoRunner for a tool the host has to run
        or did not declare; BadInput when no such call waits, for a value JSON cannot hold, and when
        the call was answered while the tool ran (the tool's value is dropped)."""
        return self._calls.run(call)

    @one_call
    def abandon(self, why: str = "interrupted") -> None:
        """Answer every open call with an error result in Loom's words that says `why`.

        A real result that comes later becomes an entry of its own. A no-op without open calls."""
        give_up_open_calls(self._engine, why)

    def answer(self, id: str, text: object) -> Summarized:
        """Give the text of a summary that Loom asked for in `Turn.asks`, under the `id` given
        there.

        Return the judgement: an accepted summary stands in the window from the next cut on; one
        that names things its source does not name is refused, and the extract stays in its place.
        Raises LoomError when no summary is asked for under that id."""
        return changes.take_summary(self._engine, id, text)

    def overflowed(self, error: BaseException) -> None:
        """Compress the window after a provider's error "too long", so that the next `turn()` is
        smaller.

        Raises OverCapacity at a second such error in a row, and `error` itself if it is of another
        kind."""
        changes.compress_after_error(self._engine, error)

    def resize(self, window: int, reply: int | None = None, model: str | None = None) -> None:
        """Move to a window of another size, or to another model; `window` and `reply` in tokens.

        What no longer fits is compressed at once, or by the next turn while calls are open. Raises
        OverCapacity, with nothing changed."""
        changes.resize_window(self._engine, window, reply, model)

    def renew(self, history: int | None = None) -> None:
        """Snapshot C_working and begin a fresh window now, with at most `history` tokens of history
        (None: as many as low water leaves).

        Raises OpenCalls, OverCapacity, BadInput, with nothing done."""
        changes.renew_window(self._engine, history)

    def finish(self, outcome: str) -> None:
        """End the task with its `outcome`: C_working is cleared, its snapshot kept. Raises
        OpenCalls."""
        changes.finish_task(self._engine, outcome)

    # What goes out

    def look(self) -> None:
        """Let capabilities look at the world now, as each turn does: at events, the project's
        files, other agents.

        Raises Closed, and StoreReplaced in a child process, before anything is looked at."""
        changes.look_at_world(self._engine, self)

    def turn(self) -> Turn:
        """Return the next request, within the window; the same one until something new comes in.

        Calls that an earlier session left open, and that are still unanswered, are given up. Raises
        OpenCalls, OverCapacity, BadInput, and BudgetSpent for a child out of steps or time."""
        return changes.make_request(self._engine, self)

    def sync(
        self,
        messages: object,
        format: str = "openai",
        *,
        system: object = None,
        compacted: bool | None = None,
    ) -> Turn:
        """Take in a host's whole list of messages, in a `format`, and return the next request.

        Give the whole list each time: new messages are taken in, one commit each. Where the list
        was edited or cut short, the messages that followed are undone; where a client put a summary
        in place of messages, the window is renewed (the messages can still be recalled).
        `compacted` says which it was: True a summary, False an edit, None unknown. Instructions are
        `system` and then the list's leading system messages. Raises BadInput, with nothing changed,
        and all that `turn` raises."""
        lasting = self._list.take(messages, format, system, compacted)
        return with_cache_lifetime(self.turn(), lasting)

    @property
    def done(self) -> bool:
        """True once the model has answered without calls, or the task was finished. A reply cut off
        at its token limit is no answer (the next turn asks the model to go on); a withheld or empty
        reply is."""
        last = next(self.window.history.stream.entries_back, None)
        whole = isinstance(last, Step) and not (last.calls or last.cut or last.paused)
        return self.window.sent.finished or whole

    @property
    def text(self) -> str:
        """The text of the model's last reply (its answer once `done`); "" before any reply. After a
        reopen the text comes from the journal, with secrets replaced."""
        return inputs.last_reply_text(self._engine, self._calls.reply.said)

    @property
    def window(self) -> Window:
        """The window as the last finished call left it, an immutable value."""
        return self._engine.workspace.shown

    @property
    def pressure(self) -> Pressure:
        """How full the next request is, as numbers (`loom.Pressure`)."""
        return self._engine.pressure()

    def pin(self, what: int | str) -> None:
        """Keep an entry (its id, or its name as "step_0007") in full, or keep another text as a
        line.

        A no-op when pinned. Raises MissingPage for an entry that has left the window (page it in,
        and pin the new entry), LoomError while it waits for results, OverCapacity for too much."""
        pins.pin_entry_or_line(self._engine, what)

    def unpin(self, what: int | str) -> None:
        """Unpin an entry or line; a no-op when it is not pinned."""
        pins.unpin_entry_or_line(self._engine, what)

    @one_call
    def page_in(self, ref: str, **ways: str) -> Slice:
        """Return a page or an entry, whole or the part chosen by `lines`, `grep` or `pointer`. If
        the file it shows has changed since, its `note` says how. Raises MissingPage, CorruptPage,
        BadInput."""
        from loom.session.archive.page_in_by_name import slice_by_name

        return slice_by_name(self._engine.workspace, ref, None, **ways)[0]

    def recall(self, query: str, chars: int = RECALL_CHARS, *, tokens: int | None = None) -> str:
        """Return as one text the best passages with the words of a query, each under the name of
        its page or entry, then the names of more pages and entries, then matching saved memories.

        The text has at most `chars` characters, or `tokens` tokens if given. It says so when
        nothing matches."""
        return recall_passages(self._engine, query, chars, tokens)

    def close(self) -> None:
        """Release the workspace; all that was acknowledged is on disk already. May be called again,
        also after an interrupt. A child process closes its own copies of the files."""
        changes.close_context(self._engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
